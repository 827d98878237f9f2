// What is known of deleted models, by name.
import type { Reader } from '../../ground/database/database.ts';
import * as store from './store.ts';

/** True when a model of this name was deleted, and no other one has the name now. */
export async function hadModel(db: Reader, name: string): Promise<boolean> {
  const ref = { kind: 'model', name: name.replace(/^models\//, '') } as const;
  return (await store.formerTeam(db, ref)) !== undefined && !(await store.isTaken(db, ref));
}

/** The own price of the deleted model of this name and team, as in its config. */
export async function formerPrice(
  db: Reader,
  { name, team_id }: { name: string; team_id: string },
): Promise<Record<string, string> | undefined> {
  const former = await store.formerTeam(db, { kind: 'model', name });
  return former?.team_id === team_id ? (former.own_price ?? undefined) : undefined;
}
