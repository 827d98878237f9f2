import { z } from 'zod';
import { canUse } from './can.ts';
import { agentCost, costForecast } from './costs.ts';
import { difference } from './difference.ts';
import type { Endpoint } from './endpoint.ts';
import { runEvent, runStates, runStep } from './runs.ts';
import { byId, byName, id, idPrefix, name, paging, versionRef } from './wire.ts';

/** The spec's eight steps, in their order. */
export const deploySteps = [
  'validate',
  'authorize',
  'resolve',
  'build',
  'provision',
  'start',
  'register',
  'endpoint',
] as const;
export type DeployStep = (typeof deploySteps)[number];

export const targets = ['local'] as const;

export const deployment = z.object({
  id,
  ref: z.string().describe('agents/<name>@<version>'),
  agent: z.string(),
  version: z.string(),
  digest: z.string(),
  target: z.string(),
  state: z.enum(runStates),
  actor: z.string(),
  approval_id: z.string().nullable(),
  endpoint: z.string().nullable(),
  example_input: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('an example of the `input` that the agent takes'),
  audit_seq: z.number().int().nullable(),
  cost: agentCost.nullable().describe('only in the answer about one deploy; null without `write` on the agent'),
  notices: z.array(z.string()),
  problem: z.record(z.string(), z.unknown()).nullable(),
  steps: z.array(runStep),
  created_at: z.string(),
  ended_at: z.string().nullable(),
});
export type Deployment = z.output<typeof deployment>;

export const verdict = z.object({
  check: z.string(),
  verdict: z.enum(['pass', 'fail', 'notice']),
  detail: z.string(),
});

export const plan = z.object({
  ref: z.string(),
  digest: z.string(),
  target: z.string(),
  deployable: z.boolean(),
  verdicts: z.array(verdict),
  /** Against the running revision; without one, everything is new. */
  running: z.string().nullable(),
  changes: difference,
  unguarded: z
    .string()
    .nullable()
    .describe('why the agent can call a model past its guardrails and budget; null when it cannot'),
  cost: costForecast.nullable().describe('null without `write` on the agent'),
});
export type Plan = z.output<typeof plan>;

/** `unknown`: it should run, and the service has not checked it for too long. */
export const agentStates = ['serving', 'starting', 'stopped', 'failed', 'unknown', 'not_deployed'] as const;

export const callFigures = z.object({
  calls: z.int(),
  errors: z.int(),
  p50_ms: z.number().nullable().describe('an estimate from a histogram; null without calls'),
  p95_ms: z.number().nullable(),
});
export type CallFigures = z.output<typeof callFigures>;

/** A deploy is one of the newest version on its own target. */
export const agentActions = [
  'agents.delete',
  'agents.restart',
  'agents.start',
  'agents.stop',
  'deployments.create',
  'invoke.call',
] as const;

export const agentStatus = z.object({
  name: z.string(),
  ref: z.string().nullable(),
  team: z.string(),
  state: z.enum(agentStates),
  detail: z.string(),
  seen_at: z.string().nullable().describe('the time of the last check of its container'),
  endpoint: z.string().nullable(),
  target: z.string().nullable(),
  revision: z.string().nullable(),
  digest: z.string().nullable(),
  latest_version: z.string().nullable(),
  restarts: z.number().int(),
  last_exit: z.string().nullable().describe('why its container was last restarted'),
  in_flight: z.number().int().nullable(),
  last_24h: callFigures.describe('of calls that have ended. They appear within ten seconds'),
  not_in_effect: z.array(z.string()),
  egress: z
    .array(z.string())
    .nullable()
    .describe('the only outside destinations of its container; null: not limited, or not deployed'),
  outside_setting: z
    .string()
    .nullable()
    .describe('why its container does not have the outgoing connections of the present setting'),
  refused_egress: z
    .array(z.object({ destination: z.string(), reason: z.string(), count: z.number().int(), at: z.string() }))
    .describe('connections that the proxy refused, newest first'),
  deployed_by: z.string().nullable(),
  deployed_at: z.string().nullable(),
  cost: agentCost.nullable().describe('null after an operation, and without `write` on the agent'),
  draining: z.array(z.string()).describe('revisions that finish their last calls'),
  can: canUse(agentActions).nullable().describe('null in lists and after an operation'),
});
export type AgentStatus = z.output<typeof agentStatus>;

export const logLine = z.object({
  at: z.string(),
  stream: z.enum(['stdout', 'stderr']),
  line: z.string(),
  revision: z.string(),
});

const what = { ref: versionRef, target: z.string().max(40).optional() };
const operated = { kind: 'data', status: 200, schema: agentStatus } as const;

export const deployEndpoints = {
  'deployments.create': {
    method: 'POST',
    path: '/api/v1/deployments',
    summary: 'Deploy a version',
    operation: 'agent.deploy',
    body: z.strictObject({ ...what, force: z.boolean().default(false) }),
    reply: { kind: 'data', status: 202, schema: deployment },
    problems: [
      'approval_required',
      'rbac_failed',
      'deploy_running',
      'already_deployed',
      'not_in_effect',
      'egress_refused',
      'reference_changed',
      'reference_missing',
      'secret_missing',
    ],
  },
  'deployments.plan': {
    method: 'POST',
    path: '/api/v1/deployments/plan',
    summary: "Every check's result and every change, without deploying",
    operation: 'asset.read',
    body: z.strictObject(what),
    reply: { kind: 'data', status: 200, schema: plan },
    problems: [],
  },
  'deployments.list': {
    method: 'GET',
    path: '/api/v1/deployments',
    summary: 'Deploys of the agents you may read, newest first',
    operation: 'deployment.list',
    query: z.strictObject({
      agent: name.optional(),
      id: idPrefix.optional().describe('the first characters of the id'),
      ...paging,
    }),
    reply: { kind: 'list', status: 200, schema: deployment },
    problems: ['bad_cursor'],
  },
  'deployments.show': {
    method: 'GET',
    path: '/api/v1/deployments/{id}',
    summary: 'One deploy with its steps',
    operation: 'deployment.read',
    params: byId,
    reply: { kind: 'data', status: 200, schema: deployment },
    problems: [],
  },
  'deployments.events': {
    method: 'GET',
    path: '/api/v1/deployments/{id}/events',
    summary: 'The events of a deploy as they occur; resumable with Last-Event-ID',
    operation: 'deployment.read',
    params: byId,
    query: z.strictObject({ after: z.coerce.number().int().min(0).optional() }),
    reply: { kind: 'events', status: 200, schema: runEvent },
    problems: [],
  },
  'deployments.cancel': {
    method: 'POST',
    path: '/api/v1/deployments/{id}/cancel',
    summary: 'Cancel a deploy that has not switched yet',
    operation: 'deployment.read',
    params: byId,
    reply: { kind: 'data', status: 202, schema: deployment },
    problems: ['not_cancellable'],
  },
  'agents.statuses': {
    method: 'GET',
    path: '/api/v1/agents',
    summary: 'The state of every agent that you may read, from its last check',
    operation: 'deployment.list',
    query: z.strictObject({
      state: z.enum(agentStates).optional(),
      team: name.optional(),
      text: z.string().min(1).max(200).optional().describe('as `q` of a search in the registry; the best match first'),
      ...paging,
    }),
    reply: { kind: 'list', status: 200, schema: agentStatus },
    problems: ['bad_cursor'],
  },
  'agents.status': {
    method: 'GET',
    path: '/api/v1/agents/{name}',
    summary: 'The state of an agent, read now',
    operation: 'deployment.read',
    params: byName,
    reply: { kind: 'data', status: 200, schema: agentStatus },
    problems: [],
  },
  'agents.logs': {
    method: 'GET',
    path: '/api/v1/agents/{name}/logs',
    summary: "The containers' output",
    operation: 'deployment.read',
    params: byName,
    query: z.strictObject({
      follow: z.stringbool().default(false),
      since: z.iso.datetime().optional(),
      tail: z.coerce.number().int().min(0).max(10_000).default(200),
    }),
    reply: { kind: 'events', status: 200, schema: logLine },
    problems: ['engine_unavailable'],
  },
  'agents.stop': {
    method: 'POST',
    path: '/api/v1/agents/{name}/stop',
    summary: 'Stop an agent; it stays registered',
    operation: 'agent.operate',
    params: byName,
    reply: operated,
    problems: ['not_deployed', 'approval_required', 'deploy_running', 'engine_unavailable'],
  },
  'agents.start': {
    method: 'POST',
    path: '/api/v1/agents/{name}/start',
    summary: 'Start a stopped agent',
    operation: 'agent.operate',
    params: byName,
    reply: operated,
    problems: [
      'not_deployed',
      'approval_required',
      'deploy_running',
      'engine_unavailable',
      'secret_missing',
      'start_failed',
      'health_check_failed',
    ],
  },
  'agents.restart': {
    method: 'POST',
    path: '/api/v1/agents/{name}/restart',
    summary: 'Restart an agent in place',
    operation: 'agent.operate',
    params: byName,
    reply: operated,
    problems: [
      'not_deployed',
      'approval_required',
      'deploy_running',
      'engine_unavailable',
      'secret_missing',
      'start_failed',
      'health_check_failed',
    ],
  },
  'agents.delete': {
    method: 'DELETE',
    path: '/api/v1/agents/{name}',
    summary: 'Stop an agent and remove it from the registry',
    operation: 'asset.delete',
    params: byName,
    reply: { kind: 'none', status: 204 },
    problems: ['in_use', 'deploy_running', 'engine_unavailable'],
  },
} as const satisfies Record<string, Endpoint>;
