import { z } from 'zod';
import { permitted } from '../can.ts';
import type { Endpoint } from '../endpoint.ts';
import { text, time, usd } from '../wire.ts';

/** `tool` is the server with the tool, for calls of tools. */
export const costDimensions = [
  'agent',
  'team',
  'model',
  'tool',
  'user',
  'principal',
  'key',
  'tag',
  'day',
  'run',
] as const;
export type CostDimension = (typeof costDimensions)[number];

const dimensions = z
  .string()
  .transform((given) => given.split(','))
  .pipe(z.array(z.enum(costDimensions)).min(1).max(costDimensions.length))
  .refine((names) => new Set(names).size === names.length, 'must name each dimension once');

export const costReport = z.object({
  since: time,
  until: time,
  by: z.array(z.enum(costDimensions)),
  usd: z.string().describe('the sum of all calls in this time that you may see, as decimal text'),
  calls: z.int(),
  whole: permitted.describe('whether these are all calls that the filters ask for, or only those that you may see'),
  estimated_usd: z.string().describe('the part of `usd` that no provider has said'),
  rows: z.array(
    z.object({
      of: z
        .partialRecord(z.enum(costDimensions), z.string().nullable())
        .describe('the name for each dimension of `by`; null for a call without one'),
      usd: z.string(),
      calls: z.int(),
      input_tokens: z.int(),
      output_tokens: z.int(),
      estimated_calls: z
        .int()
        .describe(
          'the provider gave no usage: the reservation is charged, or an estimate of what a closed stream had produced',
        ),
      estimated_usd: z.string().describe('what these calls have cost'),
    }),
  ),
});
export type CostReport = z.output<typeof costReport>;

/** A limit of an account in its present window. */
export const cap = z.object({
  of: z.string().describe('agents/<name>, team:<name> or org'),
  window: z.enum(['day', 'week', 'month']),
  limit_usd: z.string(),
  spent_usd: z.string(),
  percent: z.int().describe('the spent part of the limit, rounded down'),
});
export type Cap = z.output<typeof cap>;

export const agentCost = z.object({
  today_usd: z.string(),
  month_usd: z.string(),
  cap: cap
    .nullable()
    .describe('the limit with the least left, of the agent, its team and the organisation; null without limits'),
});
export type AgentCost = z.output<typeof agentCost>;

export const costForecast = z.object({
  per_day_usd: z
    .string()
    .nullable()
    .describe('the average of the last days, at most 7, since its first call in them; null without calls'),
  days: z.int().describe('the number of these days'),
  cap: cap.nullable().describe('the limit that ends first at this rate; when none ends, the one with the least left'),
  cap_ends_at: time
    .nullable()
    .describe('when the cap is spent, at the rate of all calls that it limits; null when its window ends earlier'),
});
export type CostForecast = z.output<typeof costForecast>;

export const costCorrection = z.object({
  calls: z.int(),
  charged_usd: z.string().describe('what these calls had cost by estimate'),
  billed_usd: z.string().describe('what they cost now'),
});
export type CostCorrection = z.output<typeof costCorrection>;

export const costsEndpoints = {
  'costs.report': {
    method: 'GET',
    path: '/api/v1/costs',
    summary:
      'What calls to models and of tools have cost, from the ledger: your own, those of agents that you may edit, of teams that you administer or whose costs a grant lets you read',
    operation: 'cost.read',
    query: z.strictObject({
      by: dimensions.default(['agent']),
      since: time.optional().describe('30 days ago when absent'),
      until: time.optional(),
      agent: z.string().max(100).optional(),
      team: z.string().max(100).optional(),
      model: z.string().max(200).optional(),
      tag: z.string().max(100).optional(),
      estimated: z.stringbool().default(false).describe('only calls whose cost is an estimate'),
      run: z.uuid().optional().describe('a run of an agent, with the runs that it has called'),
    }),
    reply: { kind: 'data', status: 200, schema: costReport },
    problems: [],
  },
  'costs.correct': {
    method: 'POST',
    path: '/api/v1/costs/corrections',
    summary:
      'Lower the cost of calls that is only an estimate to what their provider has billed; budgets get the difference back',
    operation: 'cost.correct',
    body: z.strictObject({
      since: time,
      until: time.optional().describe('now when absent'),
      agent: z.string().max(100).optional(),
      team: z.string().max(100).optional(),
      model: z.string().max(200).optional(),
      billed_usd: usd.describe('for all these calls together'),
      reason: text.min(1),
    }),
    reply: { kind: 'data', status: 200, schema: costCorrection },
    problems: ['conflict'],
  },
} as const satisfies Record<string, Endpoint>;
