// The three ways to a key's value besides its creation: its owner claims it once; a platform admin has it revealed; a rotation replaces it.
// The audit entry is committed before the value leaves.
import type { GatewayKeyWithValue } from '@gantry/contract/models/keys.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change, type GovernedTx } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { limitsOf, moveSpending, setLimits } from '../ledger/limits.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { ended, notWaiting, requireClaim, requireReveal, requireRotation, sealedValue } from './can-use-key.ts';
import { endKeys } from './end-keys.ts';
import { issueKey } from './issue-key.ts';
import type { KeyMaker, KeyParts } from './parts.ts';
import { loadKey, showWithValue } from './record.ts';
import * as store from './store.ts';
import type { KeyRow } from './store.ts';

/** Once, by its owner. The key works from then on. */
export async function claimKey(parts: KeyParts, caller: Caller, id: string): Promise<GatewayKeyWithValue> {
  const { db } = parts;
  const user = signedIn(caller);
  const row = await loadKey(db, user, id);
  const grant = requireClaim(user, row);
  const key = await change(db, grant, 'key.claimed', async (tx, note) => {
    if (!(await store.activate(tx, id))) throw notWaiting(row);
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
    await requireReveal(tx);
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
  const grant = requireRotation(user, row);
  const made = await change(db, grant, 'key.rotated', async (tx, note) => {
    const [replaces] = await endKeys(tx, [id]);
    if (replaces === undefined) throw ended(row);
    const next = await issueKey(parts, tx, { ...row, created_by: user.id });
    await store.noteSeen(tx, next.id, user.id);
    if (row.issued) await store.activate(tx, next.id);
    const [limits] = await limitsOf(tx, [id]);
    if (limits !== undefined) await setLimits(tx, next.id, limits);
    await moveSpending(tx, { from: id, to: next.id });
    note({ ...named(row), key: next.prefix, replaces });
    return next;
  });
  return await showWithValue(db, user, made);
}

async function openFor(
  { envelope }: KeyMaker,
  tx: GovernedTx,
  { id, to }: { id: string; to: string },
): Promise<string> {
  const sealed = await sealedValue(tx, id);
  await store.noteSeen(tx, id, to);
  return envelope.open(sealed, { table: 'gateway_key', id });
}

const named = ({ prefix, alias, scope, scope_name }: KeyRow) => ({
  key: prefix,
  key_alias: alias,
  scope,
  for: scope_name,
});
