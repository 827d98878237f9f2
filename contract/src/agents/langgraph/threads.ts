// Threads of the SDK are the caller's threads with the agent. Their id is their name.
import { z } from 'zod';
import type { Endpoint } from '../../endpoint.ts';
import { json, name } from '../../wire.ts';
import { callRefusals } from '../invoke.ts';
import { threadName } from '../memory.ts';
import { members, ofAgent, offsets, root } from './of-agent.ts';

const byThread = z.strictObject({ name, thread: z.string().min(1).max(1024) });
const checkpoint_id = z.string().min(1).max(200);
export const checkpoint = z.strictObject({
  thread_id: z.string().max(1024).nullable().optional(),
  checkpoint_ns: z.string().max(2000).nullable().optional(),
  checkpoint_id: checkpoint_id.nullable().optional(),
  checkpoint_map: members.nullable().optional(),
});
export type Checkpoint = z.output<typeof checkpoint>;
const select = z.array(z.string().max(200)).max(50).nullable().optional();
const subgraphs = z.boolean().nullable().optional();

export const threadStatuses = ['idle', 'busy', 'interrupted', 'error'] as const;
const filter = {
  metadata: members.nullable().optional(),
  values: members.nullable().optional(),
  status: z.enum(threadStatuses).nullable().optional(),
};
const problems = ['memory_damaged', 'not_answered'] as const;
const historyOf = {
  limit: z.int().min(1).max(1000).default(10),
  before: z.union([checkpoint_id, checkpoint]).nullable().optional(),
  metadata: members.nullable().optional(),
  checkpoint: checkpoint.nullable().optional(),
  select,
};
export const threadSearch = z.strictObject({
  ...filter,
  ...offsets,
  ids: z.array(z.string().max(1024)).max(1000).nullable().optional(),
  sort_by: z.string().max(100).nullable().optional(),
  sort_order: z.string().max(10).nullable().optional(),
  select,
  extract: members.nullable().optional(),
});
export const threadFilter = z.strictObject(filter);

export const langgraphThreadEndpoints = {
  'langgraph.create_thread': {
    ...ofAgent,
    method: 'POST',
    path: `${root}/threads`,
    summary: 'threads.create of the SDK',
    body: z.strictObject({
      thread_id: threadName.nullable().optional(),
      metadata: members.nullable().optional(),
      if_exists: z.enum(['raise', 'do_nothing']).nullable().optional(),
      supersteps: json.optional(),
      ttl: json.optional(),
    }),
    problems: [...problems, 'exists', 'threads_not_kept', 'not_deployed', 'memory_full'],
  },
  'langgraph.search_threads': {
    ...ofAgent,
    method: 'POST',
    path: `${root}/threads/search`,
    summary: 'threads.search of the SDK: your threads with the agent, the last used first',
    body: threadSearch,
    problems,
  },
  'langgraph.count_threads': {
    ...ofAgent,
    method: 'POST',
    path: `${root}/threads/count`,
    summary: 'threads.count of the SDK',
    body: threadFilter,
    problems,
  },
  'langgraph.thread': {
    ...ofAgent,
    method: 'GET',
    path: `${root}/threads/{thread}`,
    summary: 'threads.get of the SDK',
    params: byThread,
    query: z.strictObject({ include: z.string().max(200).optional() }),
    problems,
  },
  'langgraph.update_thread': {
    ...ofAgent,
    method: 'PATCH',
    path: `${root}/threads/{thread}`,
    summary: 'threads.update of the SDK: merges metadata',
    params: byThread,
    body: z.strictObject({ metadata: members.nullable().optional(), ttl: json.optional() }),
    problems: [...problems, 'memory_full'],
  },
  'langgraph.delete_thread': {
    ...ofAgent,
    method: 'DELETE',
    path: `${root}/threads/{thread}`,
    summary: 'threads.delete of the SDK',
    params: byThread,
    reply: { kind: 'none', status: 204 },
    problems: ['thread_busy'],
  },
  'langgraph.copy_thread': {
    ...ofAgent,
    method: 'POST',
    path: `${root}/threads/{thread}/copy`,
    summary: 'threads.copy of the SDK',
    params: byThread,
    problems: [...problems, 'exists', 'threads_not_kept', 'not_deployed', 'memory_full'],
  },
  'langgraph.state': {
    ...ofAgent,
    method: 'GET',
    path: `${root}/threads/{thread}/state`,
    summary: 'threads.get_state of the SDK',
    params: byThread,
    query: z.strictObject({ subgraphs: z.stringbool().optional(), select: z.string().max(200).optional() }),
    problems,
  },
  'langgraph.state_at': {
    ...ofAgent,
    method: 'GET',
    path: `${root}/threads/{thread}/state/{checkpoint}`,
    summary: 'threads.get_state of the SDK, at a checkpoint',
    params: byThread.extend({ checkpoint: checkpoint_id }),
    query: z.strictObject({ subgraphs: z.stringbool().optional(), select: z.string().max(200).optional() }),
    problems,
  },
  'langgraph.state_of': {
    ...ofAgent,
    method: 'POST',
    path: `${root}/threads/{thread}/state/checkpoint`,
    summary: 'threads.get_state of the SDK, at a checkpoint of the body',
    params: byThread,
    body: z.strictObject({ checkpoint, subgraphs, select }),
    problems,
  },
  'langgraph.update_state': {
    ...ofAgent,
    method: 'POST',
    path: `${root}/threads/{thread}/state`,
    summary: 'threads.update_state of the SDK: the agent changes the state of the thread, in a call',
    params: byThread,
    body: z.strictObject({
      values: z
        .union([members, z.array(json)])
        .nullable()
        .optional(),
      as_node: z.string().min(1).max(200).nullable().optional(),
      checkpoint: checkpoint.nullable().optional(),
      checkpoint_id: checkpoint_id.nullable().optional(),
    }),
    problems: [...callRefusals, ...problems, 'threads_not_kept', 'nothing_waits'],
  },
  'langgraph.prune_threads': {
    ...ofAgent,
    method: 'POST',
    path: `${root}/threads/prune`,
    summary: 'threads.prune of the SDK: deletes threads, or all of their states but the latest',
    body: z.strictObject({
      thread_ids: z.array(z.string().min(1).max(1024)).max(1000),
      strategy: z.enum(['delete', 'keep_latest']).nullable().optional(),
    }),
    problems: ['thread_busy'],
  },
  'langgraph.history': {
    ...ofAgent,
    method: 'POST',
    path: `${root}/threads/{thread}/history`,
    summary: 'threads.get_history of the SDK, the newest state first',
    params: byThread,
    body: z.strictObject(historyOf),
    problems,
  },
} as const satisfies Record<string, Endpoint>;
