import type { KeyCaller, Origin } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { accountsOf } from '../accounts/accounts.ts';
import * as store from '../store.ts';

/** A key by its id, for a call that the service makes at its cost. Undefined for a key that is gone. */
export async function keyCaller(db: Reader, id: string, origin: Origin): Promise<KeyCaller | undefined> {
  const row = await store.keyById(db, id);
  if (row === undefined) return undefined;
  const { prefix, scope, scope_id, team_id } = row;
  const accounts = await accountsOf(db, { id, scope, scope_id, team_id });
  return { kind: 'key', id, label: `key:${prefix}`, scope, scope_id, team_id, accounts, origin };
}
