import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { name } from './wire.ts';

const byAgent = z.strictObject({ name });
const byRun = z.strictObject({ name, run_id: z.uuid() });
const problems = ['not_deployed', 'agent_unavailable', 'agent_error', 'run_gone'] as const;

export const invokeEndpoints = {
  'invoke.call': {
    method: 'POST',
    path: '/agents/{name}/invoke',
    summary: 'Call an agent; 202 with a run id when it takes longer than the sync budget',
    operation: 'asset.invoke',
    params: byAgent,
    body: 'raw',
    reply: { kind: 'raw', status: 200 },
    problems,
  },
  'invoke.stream': {
    method: 'POST',
    path: '/agents/{name}/stream',
    summary: 'Call an agent and read what it does as server-sent events',
    operation: 'asset.invoke',
    params: byAgent,
    body: 'raw',
    reply: { kind: 'raw', status: 200 },
    problems,
  },
  'invoke.run': {
    method: 'GET',
    path: '/agents/{name}/runs/{run_id}',
    summary: 'The result of a call of yours',
    operation: 'asset.invoke',
    params: byRun,
    reply: { kind: 'raw', status: 200 },
    problems,
  },
  'invoke.cancel': {
    method: 'POST',
    path: '/agents/{name}/runs/{run_id}/cancel',
    summary: 'Cancel a call of yours',
    operation: 'asset.invoke',
    params: byRun,
    reply: { kind: 'raw', status: 200 },
    problems,
  },
  'invoke.health': {
    method: 'GET',
    path: '/agents/{name}/health',
    summary: "The agent's own health",
    operation: 'asset.invoke',
    params: byAgent,
    reply: { kind: 'raw', status: 200 },
    problems,
  },
} as const satisfies Record<string, Endpoint>;
