// The models of a key, as the clients of OpenAI and of Anthropic read them. Nothing is kept: a revoked key lists nothing.
import type { ListedModel } from '@gantry/contract/gateway.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../access/caller.ts';
import type { Database } from '../database/database.ts';
import { clock } from '../ledger/accounts.ts';
import { usable } from './facts.ts';
import { requireWorking } from './judge.ts';
import * as store from './store.ts';

export async function listModels(db: Database, caller: KeyCaller): Promise<ListedModel[]> {
  return await db.snapshot(async (at) => {
    const [{ key, models }, now] = await Promise.all([usable(at, caller, store.catalogue(at)), clock(at)]);
    requireWorking(key, now);
    return models.map(toListed);
  });
}

export async function showModel(db: Database, caller: KeyCaller, name: string): Promise<ListedModel> {
  const found = (await listModels(db, caller)).find(({ id }) => id === name);
  if (found === undefined)
    throw new Problem('not_found', {
      detail: `The key may not call ${JSON.stringify(name.slice(0, 100))}, or there is no such model.`,
      hint: 'See the models of the key: GET /v1/models.',
    });
  return found;
}

function toListed({ name, created_at, config }: store.ListedModel): ListedModel {
  return {
    id: name,
    object: 'model',
    created: Math.floor(Date.parse(created_at) / 1000),
    owned_by: config.provider,
    type: 'model',
    display_name: name,
    created_at,
  };
}
