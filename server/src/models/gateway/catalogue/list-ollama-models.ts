// The models of a key that are called in Ollama's format, as its clients read them.
import { formatsOf } from '@gantry/project/model-providers.ts';
import type { OllamaModel } from '@gantry/contract/models/ollama.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../../../governance/access/caller.ts';
import type { Database } from '../../../ground/database/database.ts';
import { listedRows, type ListedRow } from './list-models.ts';

export async function listOllamaModels(db: Database, caller: KeyCaller): Promise<{ models: OllamaModel[] }> {
  const models = (await ollamaRows(db, caller)).map(({ row, listed: { id } }): OllamaModel => ({
    name: id,
    model: id,
    modified_at: row.created_at,
    size: 0,
    digest: row.digest,
  }));
  return { models };
}

export async function showOllamaModel(db: Database, caller: KeyCaller, name: string) {
  const found = (await ollamaRows(db, caller)).find(({ listed }) => listed.names.includes(name));
  if (found === undefined)
    throw new Problem('not_found', {
      detail: `The key may not call ${JSON.stringify(name.slice(0, 100))} in the format of Ollama, or there is no such model.`,
      hint: 'See the models of the key: GET /api/tags.',
    });
  const { created_at, config } = found.row;
  const capabilities = { chat: ['completion'], embedding: ['embedding'], rerank: [] } as const;
  return { modified_at: created_at, capabilities: [...capabilities[config.type]], details: {}, model_info: {} };
}

async function ollamaRows(db: Database, caller: KeyCaller): Promise<ListedRow[]> {
  const rows = await listedRows(db, caller);
  return rows.filter(({ row }) => formatsOf(row.config.provider).includes('ollama'));
}
