import { authorize, type Grant } from '../access/authorize.ts';
import type { Caller, SignedInCaller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { theOrg } from '../access/subject.ts';
import { lockAccounts } from '../ledger/accounts.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { KeyParts } from './parts.ts';
import { isOwn } from './policy.ts';
import { loadKey } from './record.ts';
import * as store from './store.ts';
import type { KeyRow } from './store.ts';

/** Waits for the admissions that have locked the key's account. The next one sees that the key is revoked. */
export async function revokeKey({ db }: KeyParts, caller: Caller, id: string): Promise<void> {
  const user = signedIn(caller);
  const row = await loadKey(db, user, id);
  await change(db, grantFor(user, row), 'key.revoked', async (tx, note) => {
    await lockAccounts(tx, [id]);
    if (!(await store.revoke(tx, id))) return;
    note({ key: row.prefix, key_alias: row.alias, scope: row.scope, for: row.scope_name });
  });
}

function grantFor(user: SignedInCaller, row: KeyRow): Grant {
  if (isOwn(user, row)) return authorize(user, 'key.create_own', theOrg);
  if (row.team_id === null || row.team === null) return authorize(user, 'key.manage_org', theOrg);
  return authorize(user, 'key.manage', { kind: 'team', id: row.team_id, name: row.team });
}
