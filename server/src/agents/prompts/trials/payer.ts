// Who pays for the trials of a prompt: a key of its team with the tag of the prompt. Nobody calls with it: it is for no model, and its value is not
// shown. The trials of a member also count in what the team lets that member spend.
import type { Caller, KeyCaller, SignedInCaller } from '../../../governance/access/caller.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { isMember } from '../../../governance/access/decide.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database, Reader } from '../../../ground/database/database.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { holdAsset } from '../../../assets/registry/load-asset.ts';
import { openAccounts } from '../../../models/ledger/accounts.ts';
import type { Trial } from '../../../models/gateway/trial/trial.ts';
import { holderAccount } from '../../../models/keys/accounts/accounts.ts';
import { keyPayer } from '../../../models/keys/calls/key-caller.ts';
import { endKeys } from '../../../models/keys/end-keys.ts';
import { issueAssetKey } from '../../../models/keys/issue-asset-key.ts';
import type { KeyMaker } from '../../../models/keys/parts.ts';
import * as store from '../payer-store.ts';

const trial_tag = 'prompt:trial';

export interface PayerParts extends KeyMaker {
  db: Database;
}

/** The first trial makes the key. One that was revoked, or is of the team that had the prompt before, is replaced. */
export async function trialOf(parts: PayerParts, user: SignedInCaller, prompt: AssetRecord): Promise<Trial> {
  const payer = (await workingKey(parts.db, user, prompt)) ?? (await newKey(parts, user, prompt));
  const account = await accountOfMember(parts.db, user, prompt.team.id);
  const [own, ...others] = payer.accounts;
  return {
    kind: 'trial',
    id: payer.id,
    accounts: [own, account, ...others].filter((id) => id !== undefined),
    tag: trial_tag,
    payer,
    holder_id: user.id,
    member: account === undefined ? undefined : { account, label: user.label },
  };
}

async function workingKey(db: Reader, caller: Caller, { id, team }: AssetRecord): Promise<KeyCaller | undefined> {
  const key_id = await store.keyOf(db, id);
  const found = key_id === undefined ? undefined : await keyPayer(db, key_id, caller.origin);
  return found === undefined || found.key.is_revoked || found.payer.team_id !== team.id ? undefined : found.payer;
}

async function newKey(parts: PayerParts, user: SignedInCaller, prompt: AssetRecord): Promise<KeyCaller> {
  const { db } = parts;
  const grant = authorize(user, 'asset.write', prompt);
  return await change(db, grant, 'prompt.payer_set', async (tx, note) => {
    const held = await holdAsset(tx, prompt.id, user);
    authorize(user, 'asset.write', held);
    // Another trial was first.
    const present = await workingKey(tx, user, held);
    if (present !== undefined) return present;
    const before = await store.keyOf(tx, held.id);
    const replaces = before === undefined ? [] : await endKeys(tx, [before]);
    const { id, prefix } = await issueAssetKey(parts, tx, { asset: held, models: [], created_by: user.id });
    await store.putKey(tx, held.id, id);
    note({ key: `key:${prefix}`, replaces });
    const made = await keyPayer(tx, id, user.origin);
    if (made === undefined) throw new Error(`the key ${prefix} was not stored`);
    return made.payer;
  });
}

/** Undefined for somebody who is no member of the team: nobody gave them limits there. */
async function accountOfMember(db: Database, user: SignedInCaller, team_id: string): Promise<string | undefined> {
  if (!isMember(user, team_id)) return undefined;
  const account = await holderAccount(db, { scope: user.kind, scope_id: user.id, team_id });
  await db.transaction(async (tx) => await openAccounts(tx, [account]));
  return account;
}
