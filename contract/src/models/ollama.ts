// The paths of Ollama, as its clients call them.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { modelCallProblems } from './gateway.ts';
import { time } from '../wire.ts';

const call = {
  surface: 'ollama',
  method: 'POST',
  operation: 'model.call',
  body: 'raw',
  reply: { kind: 'passed', status: 200 },
  problems: modelCallProblems,
} as const;

const read = { surface: 'ollama', operation: 'model.call', problems: ['invalid_api_key'] } as const;

/** A model as Ollama's clients read it. */
const ollamaModel = z.object({
  name: z.string().describe('The name for calls'),
  model: z.string(),
  modified_at: time,
  size: z.literal(0).describe('the service does not know it'),
  digest: z.string(),
});
export type OllamaModel = z.output<typeof ollamaModel>;

export const ollamaEndpoints = {
  'ollama.chat': {
    ...call,
    path: '/api/chat',
    summary: "Call a model of Ollama with a gateway key, in Ollama's format for chats",
  },
  'ollama.generate': {
    ...call,
    path: '/api/generate',
    summary: "Call a model of Ollama with a gateway key, in Ollama's format for prompts",
  },
  'ollama.embed': {
    ...call,
    path: '/api/embed',
    summary: "Turn texts into vectors with a gateway key, in Ollama's format",
  },
  'ollama.embeddings': {
    ...call,
    path: '/api/embeddings',
    summary: "Turn one text into a vector with a gateway key, in Ollama's older format",
  },
  'ollama.tags': {
    ...read,
    method: 'GET',
    path: '/api/tags',
    summary: "The models that the key may call in Ollama's format",
    reply: { kind: 'bare', status: 200, schema: z.object({ models: z.array(ollamaModel) }) },
  },
  'ollama.show': {
    ...read,
    method: 'POST',
    path: '/api/show',
    summary: "A model that the key may call in Ollama's format",
    body: z.strictObject({
      model: z.string().max(200).optional(),
      name: z.string().max(200).optional(),
      verbose: z.boolean().optional(),
    }),
    reply: {
      kind: 'bare',
      status: 200,
      schema: z.object({
        modified_at: time,
        capabilities: z.array(z.enum(['completion', 'embedding'])),
        details: z.object({}),
        model_info: z.object({}),
      }),
    },
  },
  'ollama.version': {
    ...read,
    method: 'GET',
    path: '/api/version',
    summary: 'The version of this service, for clients of Ollama',
    reply: { kind: 'bare', status: 200, schema: z.object({ version: z.string() }) },
  },
} as const satisfies Record<string, Endpoint>;
