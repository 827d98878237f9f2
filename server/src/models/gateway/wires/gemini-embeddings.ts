// Gemini's vectors, of one text and of several. They have no output tokens, and no stream.
import { z } from 'zod';
import { googleDocument, noEvents } from './document-forms.ts';
import { requireModel } from './gemini-body.ts';
import { printGeminiBreak } from './gemini-events.ts';
import { partsOf, refuseKept } from './gemini-parts.ts';
import {
  boundInput,
  count,
  invalid,
  isJson,
  listOf,
  membersOutside,
  refuseOwn,
  writesNothing,
  type Json,
  type Wire,
} from './wire.ts';

export const embedContent: Wire = {
  kind: 'gemini',
  path: '/models/{model}:embedContent',
  passed_headers: [],
  read: (body, text) => readRequests(body, text, [body]),
  write: (body, { upstream_model }) => ({ ...body, model: `models/${upstream_model}` }),
  countsIn: ({ usageMetadata }) => (isJson(usageMetadata) ? usageMetadata : undefined),
  usageOf: ({ promptTokenCount }) => {
    const input = count(promptTokenCount);
    return input === undefined ? undefined : { input };
  },
  isOnlyUsage: () => false,
  isCut: () => false,
  document: googleDocument,
  events: noEvents,
  printBreak: printGeminiBreak,
};

export const batchEmbedContents: Wire = {
  ...embedContent,
  path: '/models/{model}:batchEmbedContents',
  read: (body, text) => {
    const parsed = batch.safeParse(body);
    if (!parsed.success) throw invalid(parsed.error.issues);
    const requests = listOf(body['requests']).filter(isJson);
    for (const [index, { model }] of requests.entries())
      requireModel(model, parsed.data.model, ['requests', String(index), 'model']);
    return readRequests(body, text, requests);
  },
  write: ({ model: _, ...body }, { upstream_model }) => ({
    ...body,
    requests: listOf(body['requests']).map((one) => ({ ...(isJson(one) && one), model: `models/${upstream_model}` })),
  }),
};

const model = z.string().min(1).max(200);
const single = z.object({ model, content: z.object({ parts: z.array(z.object({})).min(1) }) });
const batch = z.object({ model, requests: z.array(single.partial({ model: true })).min(1) });

const bounded_batch = new Set(['model', 'requests']);
const bounded = new Set([
  'model',
  'content',
  'taskType',
  'title',
  'outputDimensionality',
  'autoTruncate',
  'embedContentConfig',
]);

function readRequests(body: Json, text: string, requests: readonly Json[]) {
  refuseOwn(body);
  const isBatch = requests[0] !== body;
  const parsed = (isBatch ? batch : single).safeParse(body);
  if (!parsed.success) throw invalid(parsed.error.issues);
  const parts = partsOf(requests.map(({ content }) => content));
  refuseKept(parts);
  return {
    model: parsed.data.model,
    ...writesNothing,
    ...boundInput(text, { images: [], messages: requests.length, instructions: 0 }),
    contexts: requests.length,
    unbounded: [
      ...(isBatch ? membersOutside(bounded_batch, body) : []),
      ...requests.flatMap((one) => membersOutside(bounded, one)),
      ...(parts.some(({ mime }) => mime !== '') ? ['an input other than text'] : []),
    ],
  };
}
