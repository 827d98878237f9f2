// What needs the caller's attention, and what runs.
import { z } from 'zod';
import { approval } from '../agents/approvals.ts';
import { cap } from '../models/costs.ts';
import { agentStatus, deployment } from '../agents/deploy.ts';
import { waitingRun } from '../agents/threads.ts';
import { waitingCall } from '../assets/tool-calls.ts';
import type { Endpoint } from '../endpoint.ts';
import { gatewayKey } from '../models/keys.ts';
import { name, time } from '../wire.ts';

export const nearLimit = cap.extend({
  of: z.string().describe('the owner: agents/<name>, team:<name>, key:<prefix>, <e-mail> in team:<name>, or org'),
  ends_at: time.nullable().describe('when it is spent at the present rate; null when its window ends earlier'),
});
export type NearLimit = z.output<typeof nearLimit>;

/** The most of each list. */
export const home_items = 20;
export const home_agents = 50;
/** How far back home looks, and how far ahead for keys that expire. */
export const home_days = 7;
export const home_percent = 80;

export const home = z.object({
  requests: z
    .object({ count: z.int(), items: z.array(approval) })
    .describe(`requests that you may decide now, the oldest ${home_items}`),
  waiting_runs: z
    .array(waitingRun.omit({ interrupts: true }))
    .describe(`runs that wait for your answer, the ${home_items} that wait longest`),
  waiting_calls: z
    .array(waitingCall.omit({ arguments: true, arguments_digest: true, through: true, wanted_by: true }))
    .describe(`calls of tools that wait for your decision, the ${home_items} that wait longest`),
  rejected: z
    .array(approval)
    .describe(`your requests that were rejected in the last ${home_days} days and not submitted again, newest first`),
  own: z
    .array(approval)
    .describe(`your requests that are pending, or were approved in the last ${home_days} days; the newest first`),
  to_deploy: z
    .array(approval)
    .describe(
      `approved in the last ${home_days} days, the newest version of their agent, never deployed, and yours to deploy`,
    ),
  failed_deployments: z
    .array(
      deployment.pick({
        id: true,
        operation: true,
        ref: true,
        agent: true,
        version: true,
        target: true,
        state: true,
        actor: true,
        problem: true,
        created_at: true,
        ended_at: true,
      }),
    )
    .describe(
      `the last deploys and other operations that failed in the last ${home_days} days, and that no later one replaced`,
    ),
  keys: z
    .array(gatewayKey)
    .describe(
      `your keys that wait for you, and the keys of yours and of your teams that expire within ${home_days} days`,
    ),
  budgets: z.array(nearLimit).describe(`limits that you may see and of which ${home_percent} % are spent`),
  unread: z.int().describe('your unread notifications'),
  agents: z
    .array(agentStatus)
    .describe(
      `at most ${home_agents} deployed agents of your list, from their last checks: first those that need attention, then those with the most calls`,
    ),
  undeployed: z.int().describe('agents of your list that are not deployed'),
});
export type Home = z.output<typeof home>;

export const homeEndpoints = {
  'home.show': {
    method: 'GET',
    path: '/api/v1/home',
    summary: 'What needs you, and what runs',
    operation: 'home.read',
    query: z.strictObject({ team: name.optional().describe('only of this team') }),
    reply: { kind: 'data', status: 200, schema: home },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
