import { z } from 'zod';
import { attention } from './attention.ts';
import { canUse } from '../can.ts';
import { agentCost } from '../models/costs.ts';
import type { Endpoint } from '../endpoint.ts';
import { plan } from './deploy-plan.ts';
import { logLevels } from './log-entry.ts';
import { logLine } from './log-line.ts';
import { reachLine } from '../assets/reach.ts';
import { runStates } from './run-states.ts';
import { runEvent, runStep } from './runs.ts';
import { upcoming } from './upcoming.ts';
import { byId, byName, counting, id, idPrefix, name, paging, versionRef } from '../wire.ts';

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

/** Each is a run that outlives its request, with its own steps. */
export const operationSteps = {
  deploy: deploySteps,
  rollback: ['authorize', 'resolve', 'provision', 'start', 'register', 'endpoint'],
  start: ['start'],
  stop: ['stop'],
  restart: ['restart'],
  scale: ['scale'],
} as const;
export type Operation = keyof typeof operationSteps;

export const deployment = z.object({
  id,
  operation: z.enum(Object.keys(operationSteps) as Operation[]), // the keys of a literal
  ref: z.string().describe('agents/<name>@<version>'),
  agent: z.string(),
  version: z.string(),
  digest: z.string(),
  target: z.string(),
  instances: z.int().nullable().describe('the number of containers that a scale asks for; null for other operations'),
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

/**
 * `asleep`: it has no container, and the next call starts one. `unknown`: it should run, and the service has not checked it for too long, or
 * its engine does not answer.
 */
export const agentStates = ['serving', 'starting', 'asleep', 'stopped', 'failed', 'unknown', 'not_deployed'] as const;

export const callFigures = z.object({
  calls: z.int(),
  errors: z.int(),
  blocked: z.int().describe('calls that a guardrail stopped. They are no errors'),
  p50_ms: z.number().nullable().describe('an estimate from a histogram; null without calls'),
  p95_ms: z.number().nullable(),
});
export type CallFigures = z.output<typeof callFigures>;

/** On the default target. A deploy is one of the newest version on its own target. */
export const agentActions = [
  'agents.delete',
  'agents.restart',
  'agents.rollback',
  'agents.scale',
  'agents.start',
  'agents.stop',
  'budgets.show',
  'deployments.create',
  'invoke.call',
] as const;

export const agentTarget = z.object({
  target: z.string(),
  revision: z.string(),
  version: z.string(),
  state: z.enum(agentStates),
  is_default: z.boolean().describe("the agent's address leads to this target"),
});
export type AgentTarget = z.output<typeof agentTarget>;

export const agentStatus = z.object({
  name: z.string(),
  ref: z.string().nullable(),
  team: z.string(),
  state: z.enum(agentStates),
  detail: z.string(),
  seen_at: z.string().nullable().describe('the time of the last check of its container'),
  endpoint: z.string().nullable(),
  target: z.string().nullable().describe('the default one, as the fields about its revision'),
  targets: z.array(agentTarget).describe('all targets with the agent; the default one first'),
  revision: z.string().nullable(),
  digest: z.string().nullable(),
  latest_version: z.string().nullable(),
  restarts: z.number().int(),
  last_exit: z.string().nullable().describe('why its container was last restarted'),
  in_flight: z.number().int().nullable(),
  instances: z.array(
    z.object({
      id,
      n: z.int().describe('counts the instances of the revision'),
      state: z.enum(agentStates),
      detail: z.string(),
      in_flight: z.int().nullable(),
      seen_at: z.string().nullable(),
      restarts: z.int(),
      last_exit: z.string().nullable(),
    }),
  ),
  attention: z.array(attention).describe('why somebody must look at it, gravest first; empty while all is well'),
  no_room: z.string().nullable().describe('why its load gets no further container'),
  last_24h: callFigures.describe('of calls that have ended. They appear within ten seconds'),
  not_in_effect: z.array(z.string()),
  egress: z
    .array(z.string())
    .nullable()
    .describe('the only outside destinations of its container; null: not limited, not deployed or asleep'),
  reach: z.array(reachLine).nullable().describe('all that it may reach; null in lists and after an operation'),
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
  rolled_back: z
    .object({ from: z.string(), to: z.string(), by: z.string(), at: z.string(), reason: z.string().nullable() })
    .nullable()
    .describe('versions, while the last deploy is a rollback; null in lists'),
  upcoming: upcoming
    .nullable()
    .describe(
      'the newest version while it does not serve; null in lists, after an operation, and for others than its team, its owner, the submitter and platform admins',
    ),
  draining: z.array(z.string()).describe('revisions that finish their last calls'),
  can: canUse(agentActions).nullable().describe('null in lists and after an operation'),
});
export type AgentStatus = z.output<typeof agentStatus>;

const targetName = z.string().min(1).max(40);
const what = { ref: versionRef, target: targetName.optional() };
const onTarget = z.strictObject({ target: targetName.optional().describe('the default one if absent') });
const operated = { kind: 'data', status: 202, schema: deployment } as const;

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
      'egress_not_enforced',
      'reference_changed',
      'reference_missing',
      'secret_missing',
      'target_refuses',
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
    summary: 'Deploys and other operations of the agents you may read, newest first',
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
    summary: 'One deploy or operation with its steps',
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
      ...counting,
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
    summary: "The output of an agent's containers, also of removed ones, in the order of time",
    operation: 'deployment.read',
    params: byName,
    query: z.strictObject({
      follow: z.stringbool().default(false),
      since: z.iso.datetime().optional(),
      tail: z.coerce.number().int().min(0).max(50_000).default(200).describe('of the lines that fit the filters'),
      revision: idPrefix.optional().describe('the first characters of the id'),
      instance: z.coerce.number().int().min(1).max(1_000_000).optional(),
      level: z
        .enum(logLevels)
        .optional()
        .describe(
          'this level and the graver ones; a line without a level counts as info, an indented one belongs to the line before it',
        ),
      text: z.string().min(1).max(200).optional().describe('in any case of letters'),
      request: z
        .string()
        .regex(/^[\w-]{1,64}$/, 'must be the id of a run or a trace')
        .optional(),
    }),
    reply: { kind: 'events', status: 200, schema: logLine },
    problems: ['engine_unavailable'],
  },
  'agents.stop': {
    method: 'POST',
    path: '/api/v1/agents/{name}/stop',
    summary: 'Stop an agent: calls are refused from now on, and a running deploy is cancelled. It stays registered',
    operation: 'agent.operate',
    params: byName,
    query: onTarget,
    reply: operated,
    problems: ['not_deployed', 'approval_required'],
  },
  'agents.start': {
    method: 'POST',
    path: '/api/v1/agents/{name}/start',
    summary: 'Start a stopped agent',
    operation: 'agent.operate',
    params: byName,
    query: onTarget,
    reply: operated,
    problems: ['not_deployed', 'approval_required', 'deploy_running', 'secret_missing'],
  },
  'agents.restart': {
    method: 'POST',
    path: '/api/v1/agents/{name}/restart',
    summary: 'Replace the containers of an agent by new ones, without a failed call',
    operation: 'agent.operate',
    params: byName,
    query: onTarget,
    reply: operated,
    problems: ['not_deployed', 'approval_required', 'deploy_running', 'secret_missing'],
  },
  'agents.scale': {
    method: 'POST',
    path: '/api/v1/agents/{name}/scale',
    summary: 'Set the number of containers, within the approved `deploy.scaling`',
    operation: 'agent.operate',
    params: byName,
    query: onTarget,
    body: z.strictObject({ instances: z.int().min(0).max(1000) }),
    reply: operated,
    problems: ['not_deployed', 'approval_required', 'deploy_running', 'outside_scaling'],
  },
  'agents.rollback': {
    method: 'POST',
    path: '/api/v1/agents/{name}/rollback',
    summary: 'Return to a revision that has run before, with today’s secret values',
    operation: 'agent.deploy',
    params: byName,
    query: onTarget,
    body: z.strictObject({
      to: z.string().min(1).max(100).optional().describe('a version; by default the one that ran before'),
      reason: z.string().min(1).max(1000).optional().describe('in the audit log'),
    }),
    reply: { kind: 'data', status: 202, schema: deployment },
    problems: [
      'not_deployed',
      'no_earlier_revision',
      'approval_required',
      'rbac_failed',
      'deploy_running',
      'egress_refused',
      'egress_not_enforced',
      'reference_missing',
      'secret_missing',
      'target_refuses',
    ],
  },
  'agents.set_target': {
    method: 'PUT',
    path: '/api/v1/agents/{name}/target',
    summary: 'Make a target of an agent its default one: new calls go there',
    operation: 'agent.operate',
    params: byName,
    body: z.strictObject({ target: targetName }),
    reply: { kind: 'data', status: 200, schema: agentStatus },
    problems: ['not_deployed', 'approval_required'],
  },
  'agents.delete': {
    method: 'DELETE',
    path: '/api/v1/agents/{name}',
    summary: 'Stop an agent and remove it from the registry',
    operation: 'asset.delete',
    params: byName,
    reply: { kind: 'none', status: 204 },
    problems: ['in_use'],
  },
} as const satisfies Record<string, Endpoint>;
