// When a knowledge base is refreshed without a person: by its schedule, or by the hook that the system of a source calls.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { byId, byName, id, shownOnce, time } from '../wire.ts';
import { knowledgeRefresh } from './knowledge.ts';

export const knowledgeHook = z.object({
  id,
  address: z.string().describe('what the other system sends a POST to, as application/json'),
  created_by: z.string(),
  created_at: time,
});
export type KnowledgeHook = z.output<typeof knowledgeHook>;

export const knowledgeUpkeep = z.object({
  refresh_hours: z.int().nullable().describe('of its newest config; null: no schedule'),
  next_at: time.nullable().describe('when the next refresh by the schedule begins'),
  last: knowledgeRefresh.nullable().describe('the refresh that was started last'),
  hook: knowledgeHook.nullable(),
});
export type KnowledgeUpkeep = z.output<typeof knowledgeUpkeep>;

const path = '/api/v1/knowledge-bases/{name}/hook';

export const knowledgeHookEndpoints = {
  'knowledge.upkeep': {
    method: 'GET',
    path: '/api/v1/knowledge-bases/{name}/upkeep',
    summary: 'When a knowledge base is refreshed: its schedule, its hook, and its last refresh',
    operation: 'asset.read',
    params: byName,
    reply: { kind: 'data', status: 200, schema: knowledgeUpkeep },
    problems: [],
  },
  'knowledge.create_hook': {
    method: 'POST',
    path,
    summary: 'Make the hook of a knowledge base: an address, and a secret that is shown once',
    operation: 'asset.write',
    params: byName,
    reply: {
      kind: 'data',
      status: 201,
      schema: knowledgeHook.extend({ secret: shownOnce('signs what is sent, or goes with it') }),
    },
    problems: ['exists'],
  },
  'knowledge.delete_hook': {
    method: 'DELETE',
    path,
    summary: 'Delete the hook of a knowledge base; its secret ends',
    operation: 'asset.write',
    params: byName,
    reply: { kind: 'none', status: 204 },
    problems: [],
  },
  'knowledge.call_hook': {
    surface: 'hooks',
    method: 'POST',
    path: '/hooks/{id}',
    summary:
      'Refresh a knowledge base, for a system that has its secret: X-Hub-Signature-256, X-Gitlab-Token or Authorization: Bearer',
    operation: 'hook.call',
    params: byId,
    body: 'raw',
    reply: { kind: 'none', status: 204 },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
