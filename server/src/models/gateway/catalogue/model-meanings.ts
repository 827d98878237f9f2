// What the names of models in configs mean now, for a look before a model is removed.
import { noRequest } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { everyoneIn, usableBy } from '../admission/facts.ts';
import type { ModelRow } from '../model.ts';
import { modelsCalled, namesOf } from './model-called.ts';
import * as store from '../store.ts';

/** A function that tells whether a team calls this model by a name. It reads the catalogue once, and the rights of each team once. */
export async function meaningsFor(
  db: Reader,
  model_id: string,
): Promise<(name: string, team_id: string) => Promise<boolean>> {
  const rows = await store.catalogue(db);
  const model = rows.find(({ id }) => id === model_id);
  const usable = new Map<string, Promise<ModelRow[]>>();
  return async (name, team_id) => {
    if (model === undefined || !namesOf(model, team_id).includes(name)) return false;
    const own = usable.get(team_id) ?? usableByTeam(db, team_id, rows);
    usable.set(team_id, own);
    return modelsCalled(await own, name, team_id).some(({ id }) => id === model_id);
  };
}

/** The models that everyone in the team may use. */
export async function usableByTeam<Row extends ModelRow>(
  db: Reader,
  team_id: string,
  rows: readonly Row[],
): Promise<Row[]> {
  return await usableBy(db, everyoneIn(team_id, { id: team_id, label: '', origin: noRequest() }), rows);
}

/** The models whose `fallbacks` name this entry of the catalogue. */
export async function entriesNamed(db: Reader, name: string): Promise<string[]> {
  const rows = await store.catalogue(db);
  return rows
    .filter((row) => row.name !== name && (row.config.fallbacks ?? []).some((one) => one === name))
    .map(({ id }) => id);
}
