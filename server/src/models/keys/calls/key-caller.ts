import type { KeyCaller, Origin } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { accountsOf } from '../accounts/accounts.ts';
import * as store from '../store.ts';
import { factsOf, type KeyFacts } from './facts.ts';

/** A key by its id, for a call that the service makes at its cost. Undefined for a key that is gone. */
export async function keyCaller(db: Reader, id: string, origin: Origin): Promise<KeyCaller | undefined> {
  const row = await store.keyById(db, id);
  return row && (await callerOf(db, row, origin));
}

/** With what its ledger rows say. */
export async function keyPayer(
  db: Reader,
  id: string,
  origin: Origin,
): Promise<{ payer: KeyCaller; key: KeyFacts } | undefined> {
  const row = await store.keyById(db, id);
  return row && { payer: await callerOf(db, row, origin), key: factsOf(row) };
}

async function callerOf(db: Reader, row: store.KeyRow, origin: Origin): Promise<KeyCaller> {
  const { id, prefix, scope, scope_id, team_id } = row;
  const accounts = await accountsOf(db, { id, scope, scope_id, team_id });
  return { kind: 'key', id, label: `key:${prefix}`, scope, scope_id, team_id, accounts, origin };
}
