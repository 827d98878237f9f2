import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { time } from './wire.ts';

export const costDimensions = ['agent', 'team', 'model', 'user', 'principal', 'key', 'tag', 'day', 'run'] as const;
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
  rows: z.array(
    z.object({
      of: z
        .partialRecord(z.enum(costDimensions), z.string().nullable())
        .describe('the name for each dimension of `by`; null for a call without one'),
      usd: z.string(),
      calls: z.int(),
      input_tokens: z.int(),
      output_tokens: z.int(),
      estimated_calls: z.int().describe('the provider gave no usage: the whole reservation is charged'),
    }),
  ),
});
export type CostReport = z.output<typeof costReport>;

export const costsEndpoints = {
  'costs.report': {
    method: 'GET',
    path: '/api/v1/costs',
    summary:
      'What calls to models have cost, from the ledger: your own, those of agents that you may edit, of teams that you administer',
    operation: 'cost.read',
    query: z.strictObject({
      by: dimensions.default(['agent']),
      since: time.optional().describe('30 days ago when absent'),
      until: time.optional(),
      agent: z.string().max(100).optional(),
      team: z.string().max(100).optional(),
      model: z.string().max(200).optional(),
      tag: z.string().max(100).optional(),
      run: z.uuid().optional().describe('a run of an agent, with the runs that it has called'),
    }),
    reply: { kind: 'data', status: 200, schema: costReport },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
