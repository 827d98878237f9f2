import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { time } from '../wire.ts';

export const modelCallProblems = [
  'invalid_api_key',
  'key_paused',
  'model_not_allowed',
  'model_ambiguous',
  'run_refused',
  'model_unpriced',
  'not_priceable',
  'budget_exceeded',
  'guardrail_blocked',
  'budget_in_flight',
  'rate_limit_exceeded',
  'model_refused',
  'model_unavailable',
  'model_error',
  'ledger_unavailable',
] as const;

/** Of an agent that is named as the model. */
const agentCallProblems = [
  'not_deployed',
  'agent_unavailable',
  'agent_error',
  'too_many_runs',
  'too_many_calls',
  'file_refused',
  'cancelled',
  'thread_busy',
  'answered_already',
] as const;

const call = {
  surface: 'gateway',
  method: 'POST',
  operation: 'model.call',
  body: 'raw',
  reply: { kind: 'stream', status: 200 },
  problems: modelCallProblems,
} as const;
/** Anthropic's clients add it to calls with beta features; the header `anthropic-beta` names these. */
const query = z.strictObject({ beta: z.literal('true').optional() });

/** A model in the shape of OpenAI, with the members that Anthropic's clients read. */
const listedModel = z.object({
  id: z.string().describe('The name for calls'),
  object: z.literal('model'),
  created: z.int().describe('Seconds since 1970'),
  owned_by: z.string().describe('Its provider; of an agent its team'),
  type: z.literal('model'),
  display_name: z.string(),
  created_at: time,
  ref: z
    .string()
    .describe('`models/<name>`: as the name for calls it means this model alone; `agents/<name>` of an agent'),
  team: z.string().describe('Its owner'),
  names: z.array(z.string()).describe('Each name that leads to it with this key'),
});
export type ListedModel = z.output<typeof listedModel>;

/** Spans that are not taken are not to be sent again (OTLP 1, partial success). */
const exportedSpans = z.object({
  partialSuccess: z.object({ rejectedSpans: z.string(), errorMessage: z.string() }).optional(),
});

export const gatewayEndpoints = {
  'gateway.chat_completions': {
    ...call,
    path: '/v1/chat/completions',
    summary: "Call a model, or an agent as `agents/<name>`, with a gateway key, in OpenAI's format for chats",
    problems: [...modelCallProblems, ...agentCallProblems],
  },
  'gateway.responses': {
    ...call,
    path: '/v1/responses',
    summary: "Call a model, or an agent as `agents/<name>`, with a gateway key, in OpenAI's format for responses",
    problems: [...modelCallProblems, ...agentCallProblems],
  },
  'gateway.embeddings': {
    ...call,
    path: '/v1/embeddings',
    summary: "Turn text into vectors with a gateway key, in OpenAI's format",
  },
  'gateway.messages': {
    ...call,
    path: '/v1/messages',
    query,
    summary: "Call a model with a gateway key, in Anthropic's format",
  },
  'gateway.count_tokens': {
    ...call,
    path: '/v1/messages/count_tokens',
    query,
    summary: "Count the tokens of a call in Anthropic's format; it costs nothing, and counts as a request",
  },
  'gateway.spans': {
    surface: 'gateway',
    method: 'POST',
    path: '/v1/traces',
    summary: "Send the spans of an agent's runs with its gateway key, as OTLP/HTTP in JSON; `gzip` is taken",
    operation: 'span.send',
    body: 'raw',
    reply: { kind: 'bare', status: 200, schema: exportedSpans },
    problems: ['invalid_api_key'],
  },
  'gateway.models': {
    surface: 'gateway',
    method: 'GET',
    path: '/v1/models',
    summary: 'The models that the key may call, and the agents that it names',
    operation: 'model.call',
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(1000).default(1000),
      after_id: z.string().max(200).optional(),
    }),
    reply: {
      kind: 'bare',
      status: 200,
      schema: z.object({
        object: z.literal('list'),
        data: z.array(listedModel),
        has_more: z.boolean(),
        first_id: z.string().nullable(),
        last_id: z.string().nullable(),
      }),
    },
    problems: ['invalid_api_key'],
  },
  'gateway.model': {
    surface: 'gateway',
    method: 'GET',
    path: '/v1/models/{model}',
    summary: 'A model that the key may call',
    operation: 'model.call',
    params: z.strictObject({ model: z.string().max(200) }),
    reply: { kind: 'bare', status: 200, schema: listedModel },
    problems: ['invalid_api_key'],
  },
} as const satisfies Record<string, Endpoint>;
