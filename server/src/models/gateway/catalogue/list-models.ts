// The models of a key, as the clients of OpenAI and of Anthropic read them. Nothing is kept: a revoked key lists nothing.
import type { ListedModel } from '@gantry/contract/models/gateway.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../../../governance/access/caller.ts';
import type { Database } from '../../../ground/database/database.ts';
import { clock } from '../../ledger/accounts.ts';
import { startingKeys } from '../../keys/calls/facts.ts';
import { usable } from '../admission/facts.ts';
import { requireWorking } from '../judging/judge.ts';
import { modelsCalled, namesOf } from './model-called.ts';
import type { ModelRow } from '../model.ts';
import * as store from '../store.ts';

export async function listModels(db: Database, caller: KeyCaller): Promise<ListedModel[]> {
  return (await listedRows(db, caller)).map(({ listed }) => listed);
}

export interface ListedRow {
  row: ModelRow;
  listed: ListedModel;
}

export async function listedRows(db: Database, caller: KeyCaller): Promise<ListedRow[]> {
  return await db.snapshot(async (at) => {
    const [{ key, models }, now] = await Promise.all([usable(at, caller, store.catalogue(at)), clock(at)]);
    requireWorking(key, { now, starting: await startingKeys(at, [key]) });
    return listed(models, caller.team_id);
  });
}

export async function showModel(db: Database, caller: KeyCaller, name: string): Promise<ListedModel> {
  const found = (await listModels(db, caller)).find(({ names }) => names.includes(name));
  if (found === undefined)
    throw new Problem('not_found', {
      detail: `The key may not call ${JSON.stringify(name.slice(0, 100))}, or there is no such model.`,
      hint: 'See the models of the key: GET /v1/models.',
    });
  return found;
}

/** With each name that leads to a model. A model's own name can lead to another, by an alias in the caller's team. */
function listed(rows: readonly ModelRow[], team_id: string | null): ListedRow[] {
  const called = rows.flatMap((row) => [...new Set(namesOf(row, team_id))].map((name) => ({ row, name })));
  const rowsOf = Map.groupBy(called, ({ name }) => name);
  const names = called.filter(({ row, name }) => {
    const [meant, ...others] = modelsCalled(rowsOf.get(name)?.map((one) => one.row) ?? [], name, team_id);
    return meant === row && others.length === 0;
  });
  const namesOfRow = Map.groupBy(names, ({ row }) => row);
  return rows.map((row) => ({ row, listed: toListed(row, namesOfRow.get(row)?.map(({ name }) => name) ?? []) }));
}

function toListed({ name, team, created_at, config }: ModelRow, names: string[]): ListedModel {
  const ref = `models/${name}`;
  return {
    id: names.includes(name) ? name : ref,
    object: 'model',
    created: Math.floor(Date.parse(created_at) / 1000),
    owned_by: config.provider,
    type: 'model',
    display_name: name,
    created_at,
    ref,
    team,
    names,
  };
}
