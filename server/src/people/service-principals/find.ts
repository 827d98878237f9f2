// Functions for higher folders.
import type { Reader } from '../../ground/database/database.ts';
import * as store from './store.ts';

export const findServicePrincipal = store.principalByName;
export const findWorkingKey = store.workingKey;
export const noteKeyUse = store.noteUse;
export const keyHolders = store.keyHolders;
export const holdServicePrincipal = store.holdPrincipal;
export const findNames = store.names;

/** A team's service principals, as `principal:<name>`. */
export async function principalsOfTeam(db: Reader, team_id: string): Promise<string[]> {
  return (await store.namesInTeam(db, team_id)).map(({ name }) => `principal:${name}`);
}

/** Service principals whose newest key is older than this number of days. */
export async function oldKeys(db: Reader, days: number): Promise<{ name: string; key_age_days: number }[]> {
  const all = await store.principals(db, { limit: 10_000 });
  return all.flatMap(({ name, key_age_days }) =>
    key_age_days !== null && key_age_days > days ? [{ name, key_age_days }] : [],
  );
}
