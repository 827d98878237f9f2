import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { name, time } from '../wire.ts';

const counted = z.object({
  rule: z.string(),
  place: z.string(),
  outcome: z.string().describe('`checked` counts calls, `redacted` and `annotated` count passages'),
  count: z.int(),
});

const block = z.object({
  at: time,
  agent: z.string().nullable(),
  key: z.string().nullable().describe('the first characters of the gateway key'),
  run_id: z.string().nullable(),
  rule: z.string(),
  place: z.string(),
  reason: z.string().describe('without any text of the call'),
});

export const guardrailReport = z.object({
  since: time,
  until: time,
  counts: z
    .array(counted)
    .describe('written every 10 s and when a process stops; a killed process loses at most 10 s of them'),
  blocks: z
    .array(block)
    .nullable()
    .describe('the newest first, at most 100; null for a caller who may not edit the agent'),
});
export type GuardrailReport = z.output<typeof guardrailReport>;

export const guardrailsEndpoints = {
  'guardrails.report': {
    method: 'GET',
    path: '/api/v1/guardrails/report',
    summary: 'What guardrails did with the calls of an agent that you may read, or of a team that you administer',
    operation: 'guardrail.report',
    query: z.strictObject({
      agent: name.optional(),
      team: name.optional().describe('this or `agent`'),
      since: time.optional().describe('7 days ago when absent; the record keeps 90 days, by the hour'),
      until: time.optional(),
    }),
    reply: { kind: 'data', status: 200, schema: guardrailReport },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
