import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { name, text } from '../wire.ts';
import { takenFiles } from './files/taken-files.ts';

const byAgent = z.strictObject({ name });
const byRun = z.strictObject({ name, run_id: z.uuid() });
export const agentInput = z.object({
  input_schema: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('a JSON Schema, from the code of the agent; null when it has none'),
  keeps_threads: z.boolean().describe('the service keeps its threads'),
  files: takenFiles.nullable().describe('by `files` of its agent.yaml; null: it says nothing, and no file is checked'),
});
export type AgentInput = z.output<typeof agentInput>;

const feedback = z.strictObject({
  is_good: z.boolean().nullable().describe('null takes it back'),
  reason: text.max(2000).default(''),
});
export type Feedback = z.output<typeof feedback>;

/** What each way to call an agent can be refused with, beside its own refusals. */
export const callRefusals = [
  'not_deployed',
  'agent_unavailable',
  'agent_error',
  'too_many_runs',
  'cancelled',
  'file_refused',
  'guardrail_blocked',
  'budget_exceeded',
  'budget_in_flight',
  'thread_busy',
] as const;
const problems = [...callRefusals, 'run_gone'] as const;

export const invokeEndpoints = {
  'invoke.call': {
    surface: 'ingress',
    method: 'POST',
    path: '/agents/{name}/invoke',
    summary: 'Call an agent; 202 with a run id when it takes longer than the sync budget',
    operation: 'asset.invoke',
    params: byAgent,
    body: 'raw',
    names_run: true,
    reply: { kind: 'passed', status: 200 },
    problems: [...problems, 'idempotency_conflict'],
  },
  'invoke.stream': {
    surface: 'ingress',
    method: 'POST',
    path: '/agents/{name}/stream',
    summary: 'Call an agent and read its output as server-sent events',
    operation: 'asset.invoke',
    params: byAgent,
    body: 'raw',
    reply: { kind: 'stream', status: 200 },
    problems,
  },
  'invoke.run': {
    surface: 'ingress',
    method: 'GET',
    path: '/agents/{name}/runs/{run_id}',
    summary: 'The result of one of your calls',
    operation: 'asset.invoke',
    params: byRun,
    reply: { kind: 'passed', status: 200 },
    problems,
  },
  'invoke.cancel': {
    surface: 'ingress',
    method: 'POST',
    path: '/agents/{name}/runs/{run_id}/cancel',
    summary: 'Cancel one of your calls',
    operation: 'asset.invoke',
    params: byRun,
    reply: { kind: 'passed', status: 200 },
    problems,
  },
  'invoke.feedback': {
    surface: 'ingress',
    method: 'PUT',
    path: '/agents/{name}/runs/{run_id}/feedback',
    summary: 'What you think of the answer of one of your calls; it is read with the content of its trace',
    operation: 'asset.invoke',
    params: byRun,
    body: feedback,
    reply: { kind: 'none', status: 204 },
    problems: ['not_deployed', 'run_gone'],
  },
  'invoke.health': {
    surface: 'ingress',
    method: 'GET',
    path: '/agents/{name}/health',
    summary: "The agent's own health",
    operation: 'asset.invoke',
    params: byAgent,
    reply: { kind: 'passed', status: 200 },
    problems,
  },
  'invoke.input': {
    surface: 'ingress',
    method: 'GET',
    path: '/agents/{name}/input',
    summary: 'The `input` that an agent takes',
    operation: 'asset.invoke',
    params: byAgent,
    reply: { kind: 'data', status: 200, schema: agentInput },
    problems: ['not_deployed', 'agent_unavailable', 'agent_error'],
  },
} as const satisfies Record<string, Endpoint>;
