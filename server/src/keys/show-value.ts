// The three ways to a key's value besides its creation: its owner claims it once; a platform admin has it revealed; a rotation replaces it.
// The audit entry is committed before the value leaves.
import type { GatewayKeyWithValue } from '@gantry/contract/keys.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { change, type GovernedTx } from '../access/change.ts';
import { theOrg } from '../access/subject.ts';
import { limitsOf, moveSpending, setLimits } from '../ledger/limits.ts';
import { settings } from '../principals/find.ts';
import { signedIn } from '../principals/signed-in.ts';
import { grantFor } from './create.ts';
import { endKeys } from './end-keys.ts';
import { issueKey } from './issue-key.ts';
import type { KeyMaker, KeyParts } from './parts.ts';
import { isOwn } from './policy.ts';
import { loadKey, showWithValue, teamOfKey } from './record.ts';
import * as store from './store.ts';
import type { KeyRow } from './store.ts';

/** Once, by its owner. The key works from then on. */
export async function claimKey(parts: KeyParts, caller: Caller, id: string): Promise<GatewayKeyWithValue> {
  const { db } = parts;
  const user = signedIn(caller);
  const row = await loadKey(db, user, id);
  const grant = authorize(user, 'key.create_own', theOrg);
  if (!isOwn(user, row))
    throw new Problem('forbidden', { detail: `Only ${row.scope_name} can claim the key ${row.prefix}….` });
  const key = await change(db, grant, 'key.claimed', async (tx, note) => {
    if (!(await store.activate(tx, id)))
      throw new Problem('conflict', {
        detail: `The key ${row.prefix}… does not wait to be claimed.`,
        hint: 'Replace it by another one: svc key rotate',
      });
    note(named(row));
    return await openFor(parts, tx, { id, to: user.id });
  });
  return await showWithValue(db, user, { id, key });
}

/** For a platform admin, while the organisation allows it. */
export async function revealKey(parts: KeyParts, caller: Caller, id: string): Promise<GatewayKeyWithValue> {
  const { db } = parts;
  const user = signedIn(caller);
  const grant = authorize(user, 'key.reveal', theOrg);
  const row = await loadKey(db, user, id);
  const key = await change(db, grant, 'key.revealed', async (tx, note) => {
    if (!(await settings(tx)).reveal_gateway_keys)
      throw new Problem('conflict', {
        detail: 'The organisation does not allow to see a key again.',
        hint: 'Give its owner another one: svc key rotate',
      });
    note(named(row));
    return await openFor(parts, tx, { id, to: user.id });
  });
  return await showWithValue(db, user, { id, key });
}

/** The new key takes over rights, limits and spending, so a rotation never frees a budget. */
export async function rotateKey(parts: KeyParts, caller: Caller, id: string): Promise<GatewayKeyWithValue> {
  const { db } = parts;
  const user = signedIn(caller);
  const row = await loadKey(db, user, id);
  const grant = grantFor(user, { ...row, team: teamOfKey(row) });
  if (row.scope === 'user' && !isOwn(user, row))
    throw new Problem('forbidden', { detail: `Only ${row.scope_name} can rotate the key ${row.prefix}….` });
  if (row.scope === 'agent' && row.issued)
    throw new Problem('conflict', {
      detail: `The key ${row.prefix}… belongs to a revision of agents/${row.scope_name}.`,
      hint: `A deploy gives it another one: svc deploy agents/${row.scope_name}@<version> --force`,
    });
  const made = await change(db, grant, 'key.rotated', async (tx, note) => {
    const [ended] = await endKeys(tx, [id]);
    if (ended === undefined || row.is_expired)
      throw new Problem('conflict', {
        detail: `The key ${row.prefix}… has ended.`,
        hint: 'Create another: svc key create',
      });
    const next = await issueKey(parts, tx, { ...row, created_by: user.id });
    await store.noteSeen(tx, next.id, user.id);
    if (row.issued) await store.activate(tx, next.id);
    const [limits] = await limitsOf(tx, [id]);
    if (limits !== undefined) await setLimits(tx, next.id, limits);
    await moveSpending(tx, { from: id, to: next.id });
    note({ ...named(row), key: next.prefix, replaces: ended });
    return next;
  });
  return await showWithValue(db, user, made);
}

async function openFor(
  { envelope }: KeyMaker,
  tx: GovernedTx,
  { id, to }: { id: string; to: string },
): Promise<string> {
  const sealed = await store.sealedKey(tx, id);
  if (sealed === undefined) throw new Problem('key_not_recoverable');
  await store.noteSeen(tx, id, to);
  return envelope.open(sealed, { table: 'gateway_key', id });
}

const named = ({ prefix, alias, scope, scope_name }: KeyRow) => ({
  key: prefix,
  key_alias: alias,
  scope,
  for: scope_name,
});
