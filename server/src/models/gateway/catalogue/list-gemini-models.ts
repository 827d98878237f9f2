// The models of a key that are called in Gemini's format, as its clients read them.
import type { GeminiModel } from '@gantry/contract/models/gemini.ts';
import { modelProvider } from '@gantry/project/model-providers.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../../../governance/access/caller.ts';
import type { Database } from '../../../ground/database/database.ts';
import { listedRows, type ListedRow } from './list-models.ts';
import { toModel } from '../model.ts';

export async function listGeminiModels(
  db: Database,
  caller: KeyCaller,
  { pageSize, pageToken }: { pageSize: number; pageToken?: string | undefined },
): Promise<{ models: GeminiModel[]; nextPageToken?: string }> {
  const all = (await geminiRows(db, caller)).map(toListed);
  const rest = all.slice(all.findIndex(({ name }) => name === pageToken) + 1);
  const models = rest.slice(0, pageSize);
  const last = models.at(-1);
  return { models, ...(last !== undefined && rest.length > models.length && { nextPageToken: last.name }) };
}

export async function showGeminiModel(db: Database, caller: KeyCaller, name: string): Promise<GeminiModel> {
  const found = (await geminiRows(db, caller)).find(({ listed }) => listed.names.includes(name));
  if (found === undefined)
    throw new Problem('not_found', {
      detail: `The key may not call ${JSON.stringify(name.slice(0, 100))} in the format of Gemini, or there is no such model.`,
      hint: 'See the models of the key: GET /v1beta/models.',
    });
  return toListed(found);
}

async function geminiRows(db: Database, caller: KeyCaller): Promise<ListedRow[]> {
  const rows = await listedRows(db, caller);
  return rows.filter(({ row }) => modelProvider(row.config.provider).kind === 'gemini');
}

const methods = {
  chat: ['generateContent', 'streamGenerateContent', 'countTokens'],
  embedding: ['embedContent', 'batchEmbedContents', 'countTokens'],
  rerank: [],
};

function toListed({ row, listed }: ListedRow): GeminiModel {
  const { type, context_window_tokens, published, max_output_tokens } = toModel(row, new Map());
  return {
    name: `models/${listed.id.replace(/^models\//, '')}`,
    displayName: row.name,
    inputTokenLimit: context_window_tokens ?? published?.context_window_tokens,
    outputTokenLimit: max_output_tokens,
    supportedGenerationMethods: methods[type],
  };
}
