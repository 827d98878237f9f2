// The paths of Google's API for Gemini, as its clients call them.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { modelCallProblems } from './gateway.ts';

const params = z.strictObject({ model: z.string().max(200) });

const call = {
  surface: 'gemini',
  method: 'POST',
  operation: 'model.call',
  params,
  body: 'raw',
  reply: { kind: 'passed', status: 200 },
  problems: modelCallProblems,
} as const;

/** A model as Gemini's clients read it. */
const geminiModel = z.object({
  name: z.string().describe('`models/<name for calls>`'),
  displayName: z.string(),
  inputTokenLimit: z.int().optional().describe('of its config, else of the table of published limits'),
  outputTokenLimit: z.int().optional(),
  supportedGenerationMethods: z.array(z.string()),
});
export type GeminiModel = z.output<typeof geminiModel>;

export const geminiEndpoints = {
  'gemini.generate': {
    ...call,
    path: '/v1beta/models/{model}:generateContent',
    summary: "Call a model with a gateway key, in Gemini's format",
  },
  'gemini.stream': {
    ...call,
    path: '/v1beta/models/{model}:streamGenerateContent',
    query: z.strictObject({ alt: z.enum(['json', 'sse']).default('json') }),
    summary: "Call a model in Gemini's format; the answer is a stream of events, or a list in JSON without `alt=sse`",
  },
  'gemini.count_tokens': {
    ...call,
    path: '/v1beta/models/{model}:countTokens',
    summary: "Count the tokens of a call in Gemini's format; it costs nothing, and counts as a request",
  },
  'gemini.embed': {
    ...call,
    path: '/v1beta/models/{model}:embedContent',
    summary: "Turn one text into a vector with a gateway key, in Gemini's format",
  },
  'gemini.embed_batch': {
    ...call,
    path: '/v1beta/models/{model}:batchEmbedContents',
    summary: "Turn texts into vectors with a gateway key, in Gemini's format",
  },
  'gemini.models': {
    surface: 'gemini',
    method: 'GET',
    path: '/v1beta/models',
    summary: "The models that the key may call in Gemini's format",
    operation: 'model.call',
    query: z.strictObject({
      pageSize: z.coerce.number().int().min(1).max(1000).default(1000),
      pageToken: z.string().max(200).optional(),
    }),
    reply: {
      kind: 'bare',
      status: 200,
      schema: z.object({ models: z.array(geminiModel), nextPageToken: z.string().optional() }),
    },
    problems: ['invalid_api_key'],
  },
  'gemini.model': {
    surface: 'gemini',
    method: 'GET',
    path: '/v1beta/models/{model}',
    summary: "A model that the key may call in Gemini's format",
    operation: 'model.call',
    params,
    reply: { kind: 'bare', status: 200, schema: geminiModel },
    problems: ['invalid_api_key'],
  },
} as const satisfies Record<string, Endpoint>;
