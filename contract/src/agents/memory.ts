// What agents keep between calls, as the wrapper in a container speaks to the service. Only the door of the agents has these addresses: the key of
// the agent and the token of an open run decide whose thread it is, and no request names a caller.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';

const longest_name = 512;
/** As the wrapper takes it: its length counts characters, and half of one has no UTF-8 form. */
export const threadName = z
  .string()
  .min(1)
  .max(2 * longest_name)
  .refine(
    (name) => name.isWellFormed() && Array.from(name).length <= longest_name,
    'must be text of at most 512 characters',
  );

const thread = threadName.optional().describe("another thread of the run's caller; absent: the thread of the call");
const ofRun = {
  surface: 'memory',
  operation: 'memory.keep',
  problems: ['invalid_api_key', 'run_refused', 'thread_busy', 'no_thread', 'memory_damaged'],
} as const;
const writing = { ...ofRun, problems: [...ofRun.problems, 'memory_full', 'too_large'] } as const;

/** `namespace` and `key` are an item's address. */
const namespace = z.array(z.string().min(1).max(500)).max(32);
const key = z.string().min(1).max(1000);
const page = { limit: z.int().min(0).max(1000).default(10), offset: z.int().min(0).max(100_000).default(0) };
const itemOp = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('get'), namespace, key }),
  z.strictObject({
    op: z.literal('put'),
    namespace: namespace.min(1),
    key,
    value: z.record(z.string(), z.unknown()).nullable().describe('null deletes the item'),
    index: z
      .union([z.literal(false), z.array(z.string().max(500)).max(100)])
      .nullable()
      .default(null)
      .describe('the paths whose texts a search reads; null: all texts, false: none'),
    ttl_minutes: z.number().positive().max(52_560_000).nullable().default(null),
  }),
  z.strictObject({
    op: z.literal('search'),
    prefix: namespace,
    query: z.string().max(10_000).nullable().default(null),
    filter: z.record(z.string(), z.unknown()).nullable().default(null),
    ...page,
  }),
  z.strictObject({
    op: z.literal('list_namespaces'),
    match: z.array(z.strictObject({ type: z.enum(['prefix', 'suffix']), path: z.array(z.string()).max(32) })).max(10),
    max_depth: z.int().min(1).nullable().default(null),
    ...page,
  }),
]);
export type ItemOp = z.output<typeof itemOp>;

const storedItem = z.object({
  namespace: z.array(z.string()),
  key: z.string(),
  value: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  updated_at: z.string(),
  score: z.number().nullable(),
});
export type StoredItem = z.output<typeof storedItem>;

const itemResult = z.union([z.null(), storedItem, z.array(storedItem), z.array(z.array(z.string()))]);
export type ItemResult = z.output<typeof itemResult>;

export const memoryEndpoints = {
  'memory.states': {
    ...ofRun,
    method: 'GET',
    path: '/memory/state',
    summary: 'The states of a thread, newest first, for the agent that works on it',
    query: z.strictObject({
      thread,
      ns: z.string().max(2000).optional(),
      id: z.string().max(200).optional(),
      before: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(100).default(1),
    }),
    reply: { kind: 'passed', status: 200 },
  },
  'memory.put_states': {
    ...writing,
    method: 'POST',
    path: '/memory/state',
    summary: 'Keep what a step of an agent has made',
    query: z.strictObject({ thread }),
    body: 'frames',
    reply: { kind: 'none', status: 204 },
  },
  'memory.delete_states': {
    ...ofRun,
    method: 'DELETE',
    path: '/memory/state',
    summary: 'Delete the states of a thread, from within a run',
    query: z.strictObject({ thread }),
    reply: { kind: 'none', status: 204 },
  },
  'memory.copy_thread': {
    ...writing,
    method: 'POST',
    path: '/memory/threads/copy',
    summary: 'Copy the states of one thread of the caller to another one, from within a run',
    body: z.strictObject({ from: threadName, to: threadName }),
    reply: { kind: 'none', status: 204 },
  },
  'memory.delete_runs': {
    ...ofRun,
    method: 'POST',
    path: '/memory/state/delete-runs',
    summary: 'Delete the states that certain runs have made, from within a run',
    body: z.strictObject({ run_ids: z.array(z.string().max(200)).max(1000) }),
    reply: { kind: 'none', status: 204 },
  },
  'memory.prune': {
    ...ofRun,
    method: 'POST',
    path: '/memory/state/prune',
    summary: 'Delete all states of threads, or all but the latest, from within a run',
    body: z.strictObject({ threads: z.array(threadName).max(1000), strategy: z.enum(['keep_latest', 'delete']) }),
    reply: { kind: 'none', status: 204 },
  },
  'memory.items': {
    ...writing,
    method: 'POST',
    path: '/memory/store',
    summary: "Read and write the items that an agent's store keeps for the caller of its run",
    body: z.strictObject({ ops: z.array(itemOp).max(1000) }),
    reply: {
      kind: 'data',
      status: 200,
      schema: z.object({
        results: z.array(itemResult),
        notices: z.array(z.string()).describe('what was done by words, because no model has made vectors for it'),
      }),
    },
  },
} as const satisfies Record<string, Endpoint>;
