// Traces: what an agent and the calls of its run did, as spans. A span's content is its input and its output.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { id, name, paging, time } from '../wire.ts';

export const spanKinds = [
  'agent',
  'chain',
  'llm',
  'tool',
  'retriever',
  'embedding',
  'guardrail',
  'http',
  'step',
] as const;
export type SpanKind = (typeof spanKinds)[number];

export const spanSources = ['ingress', 'gateway', 'deploy', 'agent'] as const;
/** The sender. The gateway's spans are the truth for model, tokens and cost; sums count no others. */
export type SpanSource = (typeof spanSources)[number];

export const spanStatuses = ['ok', 'error'] as const;
export type SpanStatus = (typeof spanStatuses)[number];

const traceId = z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits');
const tokens = z.int().nullable();
const usd = z.string().nullable().describe('decimal text; null without a price');

const common = {
  span_id: z.string(),
  name: z.string(),
  kind: z.enum(spanKinds),
  source: z.enum(spanSources).describe('the sender: a part of the service, or the code of the agent'),
  agent: z.string().nullable().describe('null for a call to a model without an agent, and for a deleted agent'),
  run_id: id.nullable(),
  started_at: time,
  duration_ms: z.number(),
  status: z.enum(spanStatuses),
  error: z.string().nullable().describe('a code or the type of an exception'),
  input_tokens: tokens,
  output_tokens: tokens,
  usd,
};

export const traceEntry = z.object({ trace_id: traceId, ...common });
export type TraceEntry = z.output<typeof traceEntry>;

export const span = z.object({
  ...common,
  parent_id: z.string().nullable().describe('of the calling span; it can be of the caller’s own system'),
  revision_id: id.nullable(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  input: z.string().nullable(),
  output: z.string().nullable(),
  content: z
    .enum(['shown', 'none', 'not_permitted'])
    .describe('`none`: not recorded. `not_permitted`: for the caller of the run and for admins of the agent'),
  attributes: z
    .record(z.string(), z.unknown())
    .describe('facts without content; `guardrail.<rule>.<place>.<action>` counts what a guardrail did'),
});
export type Span = z.output<typeof span>;

export const trace = z.object({
  trace_id: traceId,
  started_at: time,
  duration_ms: z.number(),
  status: z.enum(spanStatuses).describe('`error` when one span has failed'),
  input_tokens: z.int().describe('of the calls through the gateway that you may see'),
  output_tokens: z.int(),
  usd: z.string(),
  spans: z.array(span).describe('those that you may read, by their start'),
  feedback: z
    .array(z.object({ run_id: id, is_good: z.boolean(), reason: z.string(), given_at: time }))
    .describe('what callers think of the answers of its runs, for those who read their content'),
});
export type Trace = z.output<typeof trace>;

export const agentRun = z.object({
  run_id: id,
  name: z.string().describe('`invoke` or `stream`'),
  caller: z.string().nullable().describe('null for a removed user'),
  trace_id: traceId,
  revision_id: id.nullable(),
  started_at: time,
  duration_ms: z.number(),
  status: z.enum(spanStatuses),
  error: z.string().nullable(),
});
export type AgentRun = z.output<typeof agentRun>;

/** The most parts of a time: a longer time has longer parts. */
export const figure_steps = 48;

export const agentFigures = z.object({
  since: time.describe('the start of the first part'),
  step_seconds: z.int(),
  steps: z
    .array(
      z.object({
        calls: z.int(),
        errors: z.int(),
        p50_ms: z.number().nullable().describe('an estimate from a histogram; null without calls'),
        p95_ms: z.number().nullable(),
        usd: usd.describe('of its calls to models, as decimal text; null without `write` on the agent'),
      }),
    )
    .describe('one part of the time after the other, until now'),
});
export type AgentFigures = z.output<typeof agentFigures>;

export const tracesEndpoints = {
  'traces.figures': {
    method: 'GET',
    path: '/api/v1/agents/{name}/figures',
    summary: 'Calls, errors, latency and cost of an agent over the time, in at most 48 equal parts',
    operation: 'asset.read',
    params: z.strictObject({ name }),
    query: z.strictObject({ since: time.optional().describe('24 hours ago when absent; at most 30 days ago') }),
    reply: { kind: 'data', status: 200, schema: agentFigures },
    problems: [],
  },
  'traces.runs': {
    method: 'GET',
    path: '/api/v1/agents/{name}/runs',
    summary:
      'The ended runs of an agent in the last 7 days without their content: yours, and all for admins of the agent',
    operation: 'asset.read',
    params: z.strictObject({ name }),
    query: z.strictObject(paging),
    reply: { kind: 'list', status: 200, schema: agentRun },
    problems: ['bad_cursor'],
  },
  'traces.list': {
    method: 'GET',
    path: '/api/v1/traces',
    summary:
      'Calls to agents, deploys, and calls to models without a run, newest first: those of agents that you may read',
    operation: 'trace.read',
    query: z.strictObject({
      agent: name.optional(),
      run: id.optional().describe('a run of an agent, or a deploy'),
      since: time.optional(),
      status: z.enum(spanStatuses).optional(),
      min_duration_ms: z.coerce.number().int().min(0).max(86_400_000).optional(),
      ...paging,
    }),
    reply: { kind: 'list', status: 200, schema: traceEntry },
    problems: ['bad_cursor'],
  },
  'traces.show': {
    method: 'GET',
    path: '/api/v1/traces/{id}',
    summary:
      'The spans of a trace that you may read. Their content is for the caller of the run and for admins of the agent',
    operation: 'trace.read',
    params: z.strictObject({ id: traceId }),
    reply: { kind: 'data', status: 200, schema: trace },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
