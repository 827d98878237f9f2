import { z } from 'zod';
import { canUse } from '../can.ts';
import type { Endpoint } from '../endpoint.ts';
import { agentInput } from './invoke.ts';
import { runStates } from './run-states.ts';
import { stepStates } from './runs.ts';
import { id, json, name, paging, time, version } from '../wire.ts';

const byOrchestration = z.strictObject({ name });
const byRun = z.strictObject({ name, run_id: z.uuid() });

/** Why a member could not be called now. */
export const memberFault = z.object({
  member: z.string().describe('the local name'),
  agent: z.string().describe('agents/<name> or orchestrations/<name>'),
  message: z.string(),
  command: z.string().nullable().describe('the command that changes it'),
});
export type MemberFault = z.output<typeof memberFault>;

export const orchestrationCheck = z.object({
  ref: z.string().describe('orchestrations/<name>@<version>'),
  faults: z.array(memberFault).describe('a deploy is refused while there is one'),
  notices: z.array(z.string()),
  can: canUse(['orchestrations.deploy', 'orchestrate.call']),
});
export type OrchestrationCheck = z.output<typeof orchestrationCheck>;

export const deployedOrchestration = z.object({
  ref: z.string().describe('orchestrations/<name>@<version>'),
  digest: z.string(),
  path: z.string().describe('the address of its calls at the service'),
  approval_id: id.nullable().describe('null for a deploy by an admin without one'),
  previous_version: z.string().nullable(),
  notices: z.array(z.string()),
});
export type DeployedOrchestration = z.output<typeof deployedOrchestration>;

/** The most characters shown of a member's text. `output` of the run has all of it. */
export const max_shown_answer = 2000;

export const orchestrationStep = z.object({
  path: z.string(),
  member: z.string(),
  state: z.enum(stepStates),
  started_at: time.nullable(),
  ended_at: time.nullable(),
  agent: z.string().nullable().describe('agents/<name> or orchestrations/<name>'),
  run_id: id
    .nullable()
    .describe('of the call of the member; null for an orchestration, whose calls have paths below this one'),
  version: z.string().nullable(),
  digest: z.string().nullable(),
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  cost_usd: z.string(),
  answer: z
    .string()
    .nullable()
    .describe(`its first ${max_shown_answer} characters; only for the caller of the run, for seven days`),
  problem: z.record(z.string(), z.unknown()).nullable(),
});
export type OrchestrationStep = z.output<typeof orchestrationStep>;

const memberError = z.object({
  code: z.string().describe("the member's own, where it gave one"),
  detail: z.string(),
  status: z.number().int(),
  path: z.string().optional().describe('of the call that failed, inside a member that is an orchestration'),
});

const output = z.object({
  text: z.string().nullable(),
  members: z.record(
    z.string(),
    z.object({
      status: z
        .enum(['done', 'partial', 'failed'])
        .describe('`partial`: an orchestration that went on without some of its members'),
      output: json.optional(),
      error: memberError.optional().describe('of a failed member'),
    }),
  ),
});

export const orchestrationRun = z.object({
  run_id: id,
  ref: z.string().describe('orchestrations/<name>@<version>'),
  digest: z.string(),
  state: z.enum(runStates),
  status: z.enum(['done', 'partial']).nullable().describe('of an ended run with an answer'),
  caller: z.string(),
  created_at: time,
  ended_at: time.nullable(),
  trace_id: z.string(),
  steps: z.array(orchestrationStep),
  notices: z.array(z.string()),
  cost_usd: z.string().describe('of all calls to models'),
  output: output.nullable().describe('only for the caller of the run, for seven days'),
  problem: z.record(z.string(), z.unknown()).nullable(),
});
export type OrchestrationRun = z.output<typeof orchestrationRun>;

export const listedOrchestrationRun = orchestrationRun
  .omit({ steps: true, notices: true, output: true, problem: true, cost_usd: true })
  .extend({ problem_code: z.string().nullable() });
export type ListedOrchestrationRun = z.output<typeof listedOrchestrationRun>;

export const orchestrationCall = z.strictObject({
  input: json.describe('a text, or the input of the members that get it'),
  thread_id: z.string().min(1).max(200).optional().describe('for members that keep threads'),
});

const callProblems = [
  'not_deployed',
  'no_route',
  'undecided',
  'member_failed',
  'member_waits',
  'member_changed',
  'mapping_needed',
  'threads_not_kept',
  'run_timeout',
  'too_many_calls',
  'budget_exceeded',
  'agent_unavailable',
  'guardrail_blocked',
  'cancelled',
] as const;

export const orchestrationsEndpoints = {
  'orchestrations.check': {
    method: 'GET',
    path: '/api/v1/orchestrations/{name}/check',
    summary: 'What a deploy of an orchestration would refuse about its members',
    operation: 'asset.read',
    params: byOrchestration,
    query: z.strictObject({ version: version.optional() }),
    reply: { kind: 'data', status: 200, schema: orchestrationCheck },
    problems: [],
  },
  'orchestrations.deploy': {
    method: 'POST',
    path: '/api/v1/orchestrations/{name}/deploy',
    summary: 'Deploy a version: from now on, calls of the orchestration run it',
    operation: 'agent.deploy',
    params: byOrchestration,
    body: z.strictObject({ version: version.optional().describe('the highest when absent') }),
    reply: { kind: 'data', status: 200, schema: deployedOrchestration },
    problems: ['approval_required', 'members_not_ready', 'reference_missing', 'reference_changed', 'rbac_failed'],
  },
  'orchestrate.call': {
    surface: 'ingress',
    method: 'POST',
    path: '/orchestrations/{name}/invoke',
    summary: 'Run an orchestration; 202 with a run id when it takes longer than the sync budget',
    operation: 'asset.invoke',
    params: byOrchestration,
    body: orchestrationCall,
    names_run: true,
    reply: { kind: 'passed', status: 200 },
    problems: [...callProblems, 'idempotency_conflict', 'run_gone'],
  },
  'orchestrate.stream': {
    surface: 'ingress',
    method: 'POST',
    path: '/orchestrations/{name}/stream',
    summary: 'Run an orchestration and read its steps, and what its members say, as server-sent events',
    operation: 'asset.invoke',
    params: byOrchestration,
    body: orchestrationCall,
    reply: { kind: 'stream', status: 200 },
    problems: callProblems,
  },
  'orchestrate.input': {
    surface: 'ingress',
    method: 'GET',
    path: '/orchestrations/{name}/input',
    summary: 'The `input` that an orchestration takes',
    operation: 'asset.invoke',
    params: byOrchestration,
    reply: { kind: 'data', status: 200, schema: agentInput.pick({ input_schema: true }) },
    problems: ['not_deployed'],
  },
  'orchestrate.runs': {
    surface: 'ingress',
    method: 'GET',
    path: '/orchestrations/{name}/runs',
    summary: 'The runs of an orchestration: your own, and for its admins all',
    operation: 'asset.invoke',
    params: byOrchestration,
    query: z.strictObject({ state: z.enum(runStates).optional(), version: version.optional(), ...paging }),
    reply: { kind: 'list', status: 200, schema: listedOrchestrationRun },
    problems: ['bad_cursor'],
  },
  'orchestrate.run': {
    surface: 'ingress',
    method: 'GET',
    path: '/orchestrations/{name}/runs/{run_id}',
    summary: 'One run with its steps; its output only for its caller',
    operation: 'asset.invoke',
    params: byRun,
    reply: { kind: 'data', status: 200, schema: orchestrationRun },
    problems: ['run_gone'],
  },
  'orchestrate.cancel': {
    surface: 'ingress',
    method: 'POST',
    path: '/orchestrations/{name}/runs/{run_id}/cancel',
    summary: 'Cancel a run of yours, with the calls of its members',
    operation: 'asset.invoke',
    params: byRun,
    reply: { kind: 'data', status: 202, schema: z.object({ run_id: id }) },
    problems: ['run_gone', 'not_cancellable'],
  },
} as const satisfies Record<string, Endpoint>;
