// What later features ask of service principals.
import type { Reader } from '../database/database.ts';
import * as store from './store.ts';

export const findServicePrincipal = store.principalByName;
export const findWorkingKey = store.workingKey;
export const noteKeyUse = store.noteUse;
export const keyHolders = store.keyHolders;
export const endKeysShownTo = store.endKeysShownTo;

/** Those that a team has, as they are written. */
export async function principalsOfTeam(db: Reader, team_id: string): Promise<string[]> {
  return (await store.namesInTeam(db, team_id)).map(({ name }) => `principal:${name}`);
}

/** Those of the newest key of each service principal that are older than so many days. */
export async function oldKeys(db: Reader, days: number): Promise<{ name: string; key_age_days: number }[]> {
  const all = await store.principals(db, { limit: 10_000 });
  return all.flatMap(({ name, key_age_days }) =>
    key_age_days !== null && key_age_days > days ? [{ name, key_age_days }] : [],
  );
}
