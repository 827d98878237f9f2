// Keys end with their holder, and with the right of whoever has seen them. After the commit no service admits a call with them.
import type { GovernedTx } from '../../governance/access/change.ts';
import { lockAccounts } from '../ledger/accounts.ts';
import * as store from './store.ts';

/**
 * The user's own keys, and those that they were shown, in a team or everywhere. They still know the values, so these end like the keys of
 * service principals.
 */
export async function endKeysOfUser(tx: GovernedTx, user_id: string, team_id?: string): Promise<string[]> {
  return await endKeys(tx, await store.keysOfUser(tx, user_id, team_id));
}

export async function endKeysOfTeam(tx: GovernedTx, team_id: string): Promise<string[]> {
  await store.deleteDefaults(tx, team_id);
  return await endKeys(tx, await store.keysOfTeam(tx, team_id));
}

/** Ends the keys of a service principal or an agent. */
export async function endKeysOf(tx: GovernedTx, holder_id: string): Promise<string[]> {
  return await endKeys(tx, await store.keysOfHolder(tx, holder_id));
}

/** Waits for the admissions that have locked the keys' accounts. Returns the names of the ended keys. */
export async function endKeys(tx: GovernedTx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  await lockAccounts(tx, ids);
  return (await store.revoke(tx, ids)).map(({ prefix }) => `key:${prefix}`);
}
