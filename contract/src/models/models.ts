// Models as the gateway calls them: their upstreams with their health, and the price that counts.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { modelStates } from './model-state.ts';
import { id, name, paging, time } from '../wire.ts';

const usd = z.string().describe('decimal text');
const rates = z.record(z.string(), usd).describe('USD per million tokens, or per thousand uses, by class');

export const modelPrice = z.object({
  version: z.string().describe('each row of the ledger names it'),
  usd_per_million: rates,
  tiers: z
    .array(z.object({ above_input_tokens: z.int(), usd_per_million: rates }))
    .describe('rates of a whole call whose input exceeds a size'),
});
export type ModelPrice = z.output<typeof modelPrice>;

export const modelHealth = z.object({
  failures: z.int().describe('in a row'),
  paused_until: time.nullable().describe('it gets no calls before'),
  last_success_at: time.nullable(),
  last_failure_at: time.nullable(),
  last_problem: z.string().nullable(),
  seen_by: z.string().describe('the process that saw it last; each one pauses upstreams by itself'),
  seen_at: time,
});

export const modelUpstream = z.object({
  base_url: z.string(),
  secret: z.string().nullable().describe('the secret of the team with the credential'),
  weight: z.int(),
  priority: z.int(),
  fault: z.string().nullable().describe('why it cannot be called'),
  health: modelHealth.nullable().describe('null before the first call'),
});
export type ModelUpstream = z.output<typeof modelUpstream>;

export const model = z.object({
  id,
  ref: z.string(),
  name: z.string(),
  version: z.string().describe('of its config'),
  team: z.string(),
  provider: z.string(),
  kind: z.enum(['openai', 'anthropic', 'gemini']).describe('the format in which it is called'),
  type: z.enum(['chat', 'embedding', 'rerank']).describe('its output: an answer, a vector, or scores of texts'),
  model: z.string().describe('its name at the provider'),
  aliases: z.array(z.string()),
  fallbacks: z.array(z.string()),
  price: modelPrice.nullable().describe('null: unknown, so a budget refuses its calls'),
  own_price: modelPrice.nullable().describe('of its config; it replaces that of the table'),
  table_price: modelPrice.nullable(),
  max_output_tokens: z
    .int()
    .describe('the longest answer of a call that asks for no limit, under a budget or a limit per minute'),
  max_output_from: z
    .enum(['config', 'table', 'default'])
    .describe('who says it: its config, the table of published limits, or nobody'),
  context_window_tokens: z.int().nullable().describe('of its config, else of the table; null: unknown'),
  former_price: rates
    .nullable()
    .describe('the own price of the deleted model of this name, which this one does not have; null in lists'),
  upstreams: z.array(modelUpstream),
  state: z.enum(modelStates).describe('`untested`: no call has succeeded yet; `failing`: the last one failed'),
});
export type Model = z.output<typeof model>;

export const modelTest = z.object({
  base_url: z.string().nullable(),
  works: z.boolean(),
  message: z.string().describe('one line: what is wrong, or how long the answer took'),
  latency_ms: z.int().nullable(),
  usd: usd.nullable().describe('what the call cost the team of the model; null without a price'),
});
export type ModelTest = z.output<typeof modelTest>;

const byName = z.strictObject({ name });

export const modelsEndpoints = {
  'models.list': {
    method: 'GET',
    path: '/api/v1/models',
    summary: 'Models with their upstreams, health and price',
    operation: 'asset.list',
    query: z.strictObject({ team: name.optional(), ...paging }),
    reply: { kind: 'list', status: 200, schema: model },
    problems: ['bad_cursor'],
  },
  'models.show': {
    method: 'GET',
    path: '/api/v1/models/{name}',
    summary: 'A model with its upstreams, health and price',
    operation: 'asset.read',
    params: byName,
    reply: { kind: 'data', status: 200, schema: model },
    problems: [],
  },
  'models.test': {
    method: 'POST',
    path: '/api/v1/models/{name}/test',
    summary: 'Make one small call at each upstream of a model; its team pays',
    operation: 'asset.write',
    params: byName,
    reply: { kind: 'data', status: 200, schema: z.array(modelTest) },
    problems: ['model_unpriced', 'budget_exceeded', 'budget_in_flight', 'rate_limit_exceeded', 'ledger_unavailable'],
  },
} as const satisfies Record<string, Endpoint>;
