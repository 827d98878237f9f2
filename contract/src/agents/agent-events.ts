import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { byName, paging, time } from '../wire.ts';

/** What the service does with an agent's containers by itself. Acts of users are in the list of deployments and in the audit log. */
const agentEventKinds = [
  'started',
  'start_failed',
  'ended',
  'rebuilding',
  'rebuilt',
  'scaled_up',
  'scaled_down',
  'no_room',
  'slept',
  'woke',
  'crashing',
  'steady',
] as const;
export type AgentEventKind = (typeof agentEventKinds)[number];

/** `removed`: from outside the service. `stopped`: by a user, or for a new key. `exited`: by itself, also when it was killed from outside. */
const endReasons = ['out_of_memory', 'hang', 'removed', 'exited', 'stopped'] as const;
export type EndReason = (typeof endReasons)[number];

const agentEvent = z.object({
  id: z.int(),
  at: time,
  kind: z.enum(agentEventKinds),
  reason: z
    .string()
    .nullable()
    .describe(`of \`ended\`: ${endReasons.join(', ')}; of \`start_failed\`: the code of the problem`),
  detail: z.string(),
  target: z.string(),
  revision: z.string().nullable(),
  instance: z.int().nullable().describe('counts the instances of the revision'),
});
export type AgentEvent = z.output<typeof agentEvent>;

/** After this time an event is deleted. An agent keeps at most `most_events`. */
export const event_days = 30;
export const most_events = 1000;

export const agentEventsEndpoints = {
  'agents.events': {
    method: 'GET',
    path: '/api/v1/agents/{name}/events',
    summary: `What the service did with an agent's containers by itself, newest first: restarts, rebuilds, scaling, sleep; of the last ${event_days} days`,
    operation: 'deployment.read',
    params: byName,
    query: z.strictObject({ ...paging }),
    reply: { kind: 'list', status: 200, schema: agentEvent },
    problems: ['bad_cursor'],
  },
} as const satisfies Record<string, Endpoint>;
