// Runs of the SDK are calls of the caller. Their id is the id of the call.
import { z } from 'zod';
import type { Endpoint } from '../../endpoint.ts';
import { json, name } from '../../wire.ts';
import { members, ofAgent, root } from './of-agent.ts';
import { threadName } from '../memory.ts';
import { checkpoint } from './threads.ts';
import { callRefusals } from '../invoke.ts';

const byThread = z.strictObject({ name, thread: z.string().min(1).max(1024) });
const byRun = byThread.extend({ run_id: z.string().max(100) });
const joining = z.strictObject({
  cancel_on_disconnect: z.stringbool().optional(),
  stream_mode: z.string().max(500).optional(),
  namespace: z.string().max(500).optional(),
  checkpoint_id: z.string().max(200).optional(),
});
const nodes = z
  .union([z.literal('*'), z.array(z.string().min(1).max(200)).max(50)])
  .nullable()
  .optional();

/** Those that an agent can stream. `messages-tuple` is `messages` of `graph.astream`, and `events` are those of `graph.astream_events`. */
export const answeredModes = [
  'values',
  'updates',
  'messages-tuple',
  'custom',
  'tasks',
  'checkpoints',
  'debug',
  'events',
] as const;
export type AnsweredMode = (typeof answeredModes)[number];
/** Those of the SDK that nothing here can give. */
export const unansweredModes = ['messages', 'tools', 'lifecycle'] as const;
const mode = z.enum([...answeredModes, ...unansweredModes]);

/** What both SDKs send. Members that are not answered are refused by name (`not_answered`). */
export const runBody = z.strictObject({
  assistant_id: z.string().max(200),
  input: json.optional(),
  command: z
    .strictObject({ resume: json.optional(), update: json.optional(), goto: json.optional() })
    .nullable()
    .optional(),
  config: members.nullable().optional(),
  context: members.nullable().optional(),
  metadata: members.nullable().optional(),
  stream_mode: z
    .union([mode, z.array(mode).max(20)])
    .nullable()
    .optional(),
  stream_subgraphs: z.boolean().nullable().optional(),
  stream_resumable: z.boolean().nullable().optional(),
  interrupt_before: nodes,
  interrupt_after: nodes,
  checkpoint: checkpoint.nullable().optional(),
  checkpoint_id: z.string().min(1).max(200).nullable().optional(),
  multitask_strategy: z.enum(['reject', 'enqueue', 'interrupt', 'rollback']).nullable().optional(),
  if_not_exists: z.enum(['create', 'reject']).nullable().optional(),
  on_disconnect: z.enum(['cancel', 'continue']).nullable().optional(),
  on_completion: z.enum(['delete', 'keep']).nullable().optional(),
  durability: z.enum(['sync', 'async', 'exit']).nullable().optional(),
  checkpoint_during: z.boolean().nullable().optional(),
  strict_resume: z.boolean().nullable().optional(),
  feedback_keys: z.array(z.string().max(200)).max(50).nullable().optional(),
  webhook: z.string().max(2000).nullable().optional(),
  after_seconds: z.number().nullable().optional(),
  langsmith_tracer: json.optional(),
});
export type RunBody = z.output<typeof runBody>;
/** The SDK for JavaScript leaves its own name of the assistant in. */
const batchedRun = runBody.extend({ thread_id: threadName.nullable().optional(), assistantId: json.optional() });

const calling = {
  ...ofAgent,
  body: runBody,
  problems: [...callRefusals, 'not_answered', 'threads_not_kept', 'nothing_waits', 'version_not_serving'],
} as const;
const streaming = { ...calling, reply: { kind: 'stream', status: 200 } } as const;

export const langgraphRunEndpoints = {
  'langgraph.wait': {
    ...calling,
    method: 'POST',
    path: `${root}/threads/{thread}/runs/wait`,
    summary: 'runs.wait of the SDK: call the agent on a thread; the answer is its values',
    params: byThread,
  },
  'langgraph.stream': {
    ...streaming,
    method: 'POST',
    path: `${root}/threads/{thread}/runs/stream`,
    summary: 'runs.stream of the SDK: call the agent on a thread and read its stream',
    params: byThread,
  },
  'langgraph.wait_alone': {
    ...calling,
    method: 'POST',
    path: `${root}/runs/wait`,
    summary: 'runs.wait of the SDK without a thread',
  },
  'langgraph.stream_alone': {
    ...streaming,
    method: 'POST',
    path: `${root}/runs/stream`,
    summary: 'runs.stream of the SDK without a thread',
  },
  'langgraph.create_run': {
    ...calling,
    method: 'POST',
    path: `${root}/threads/{thread}/runs`,
    summary: 'runs.create of the SDK: call the agent on a thread in the background',
    params: byThread,
  },
  'langgraph.create_run_alone': {
    ...calling,
    method: 'POST',
    path: `${root}/runs`,
    summary: 'runs.create of the SDK without a thread',
  },
  'langgraph.batch': {
    ...calling,
    method: 'POST',
    path: `${root}/runs/batch`,
    summary: 'runs.create_batch of the SDK: several runs in the background',
    body: z.array(batchedRun).min(1).max(100),
  },
  'langgraph.runs': {
    ...ofAgent,
    method: 'GET',
    path: `${root}/threads/{thread}/runs`,
    summary: 'runs.list of the SDK: the runs of a thread, of the last seven days',
    params: byThread,
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(1000).default(10),
      offset: z.coerce.number().int().min(0).max(1000).default(0),
      status: z.string().max(100).optional(),
      select: z.string().max(200).optional(),
    }),
    problems: [],
  },
  'langgraph.run': {
    ...ofAgent,
    method: 'GET',
    path: `${root}/threads/{thread}/runs/{run_id}`,
    summary: 'runs.get of the SDK',
    params: byRun,
    problems: [],
  },
  'langgraph.join': {
    ...ofAgent,
    method: 'GET',
    path: `${root}/threads/{thread}/runs/{run_id}/join`,
    summary: 'runs.join of the SDK: the values of the thread, once the run has ended',
    params: byRun,
    query: joining,
    problems: ['memory_damaged'],
  },
  'langgraph.join_stream': {
    ...ofAgent,
    reply: { kind: 'stream', status: 200 },
    method: 'GET',
    path: `${root}/threads/{thread}/runs/{run_id}/stream`,
    summary:
      'runs.join_stream of the SDK: the parts after Last-Event-ID of a resumable run; of another one, the values at its end',
    params: byRun,
    query: joining,
    problems: ['memory_damaged'],
  },
  'langgraph.cancel': {
    ...ofAgent,
    method: 'POST',
    path: `${root}/threads/{thread}/runs/{run_id}/cancel`,
    summary: 'runs.cancel of the SDK',
    params: byRun,
    query: z.strictObject({
      wait: z.stringbool().default(false),
      action: z.enum(['interrupt', 'rollback']).default('interrupt'),
      reason: z.string().max(200).optional(),
    }),
    problems: ['not_answered', 'agent_unavailable', 'agent_error', 'run_gone', 'memory_damaged'],
  },
} as const satisfies Record<string, Endpoint>;
