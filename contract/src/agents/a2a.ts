// The Agent2Agent protocol (a2a-protocol.org), version 1.0: one address for JSON-RPC and for its REST twins. Requests and answers have the
// protocol's own shapes, so they pass as raw JSON. Their names are the protocol's too.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { name } from '../wire.ts';

const byAgent = z.strictObject({ name });
const byTask = z.strictObject({ name, task_id: z.string().max(100) });
const text = z.string().max(500).optional();
// The protocol refuses a wrong value, so the handler reads them.
const historyLength = text.describe('accepted; the service keeps no messages');
const listed = z.strictObject({
  contextId: text,
  status: text.describe('a state, such as TASK_STATE_COMPLETED'),
  pageSize: text.describe('1 to 100; 50 when absent'),
  pageToken: text,
  historyLength,
  statusTimestampAfter: text,
  includeArtifacts: text,
});

const ofAgent = { surface: 'a2a', operation: 'asset.invoke', reply: { kind: 'passed', status: 200 } } as const;
const streamed = { ...ofAgent, reply: { kind: 'stream', status: 200 } } as const;
// Problems of an agent that calls its subagents.
const of_agents = ['invalid_api_key', 'run_refused', 'call_loop', 'too_many_calls', 'member_changed'] as const;
const unanswered = [
  'not_deployed',
  'thread_busy',
  'agent_unavailable',
  'agent_error',
  'thread_busy',
  ...of_agents,
] as const;
const problems = [...unanswered, 'file_refused', 'guardrail_blocked', 'bad_cursor'] as const;

export const a2aEndpoints = {
  'a2a.card': {
    ...ofAgent,
    method: 'GET',
    path: '/agents/{name}/.well-known/agent-card.json',
    summary: 'The A2A card of an agent',
    operation: 'asset.read',
    params: byAgent,
    problems: unanswered,
  },
  'a2a.rpc': {
    ...streamed,
    method: 'POST',
    path: '/agents/{name}/a2a',
    summary: 'The methods of A2A by JSON-RPC; the header A2A-Version names 1.0 or 0.3',
    params: byAgent,
    body: 'raw',
    problems,
  },
  'a2a.send': {
    ...ofAgent,
    method: 'POST',
    path: '/agents/{name}/a2a/message:send',
    summary: 'SendMessage of A2A: a message becomes a task of yours',
    params: byAgent,
    body: 'raw',
    problems,
  },
  'a2a.stream': {
    ...streamed,
    method: 'POST',
    path: '/agents/{name}/a2a/message:stream',
    summary: 'SendStreamingMessage of A2A: the task as server-sent events',
    params: byAgent,
    body: 'raw',
    problems,
  },
  'a2a.tasks': {
    ...ofAgent,
    method: 'GET',
    path: '/agents/{name}/a2a/tasks',
    summary: 'ListTasks of A2A: your tasks of the last seven days',
    params: byAgent,
    query: listed,
    problems,
  },
  'a2a.task': {
    ...ofAgent,
    method: 'GET',
    path: '/agents/{name}/a2a/tasks/{task_id}',
    summary: 'GetTask of A2A: one of your tasks',
    params: byTask,
    query: z.strictObject({ historyLength }),
    problems,
  },
  'a2a.cancel': {
    ...ofAgent,
    method: 'POST',
    path: '/agents/{name}/a2a/tasks/{task_id}:cancel',
    summary: 'CancelTask of A2A: cancel one of your tasks',
    params: byTask,
    problems,
  },
  'a2a.subscribe': {
    ...streamed,
    method: 'POST',
    path: '/agents/{name}/a2a/tasks/{task_id}:subscribe',
    summary: 'SubscribeToTask of A2A: follow one of your tasks as server-sent events',
    params: byTask,
    problems,
  },
  // The protocol's definition has GET, its SDKs send POST.
  'a2a.watch': {
    ...streamed,
    method: 'GET',
    path: '/agents/{name}/a2a/tasks/{task_id}:subscribe',
    summary: 'SubscribeToTask of A2A, by GET',
    params: byTask,
    problems,
  },
} as const satisfies Record<string, Endpoint>;

const of_orchestrations = ['not_deployed', 'bad_cursor'] as const;

/** The same for orchestrations. A task is a run. */
export const orchestrateA2aEndpoints = {
  'orchestrate_a2a.card': {
    ...a2aEndpoints['a2a.card'],
    path: '/orchestrations/{name}/.well-known/agent-card.json',
    summary: 'The A2A card of an orchestration',
    problems: of_orchestrations,
  },
  'orchestrate_a2a.rpc': {
    ...a2aEndpoints['a2a.rpc'],
    path: '/orchestrations/{name}/a2a',
    summary: 'The methods of A2A by JSON-RPC, for an orchestration; the header A2A-Version names 1.0 or 0.3',
    problems: of_orchestrations,
  },
  'orchestrate_a2a.send': {
    ...a2aEndpoints['a2a.send'],
    path: '/orchestrations/{name}/a2a/message:send',
    summary: 'SendMessage of A2A: a message becomes a run of an orchestration',
    problems: of_orchestrations,
  },
  'orchestrate_a2a.stream': {
    ...a2aEndpoints['a2a.stream'],
    path: '/orchestrations/{name}/a2a/message:stream',
    summary: 'SendStreamingMessage of A2A: the run of an orchestration as server-sent events',
    problems: of_orchestrations,
  },
  'orchestrate_a2a.tasks': {
    ...a2aEndpoints['a2a.tasks'],
    path: '/orchestrations/{name}/a2a/tasks',
    summary: 'ListTasks of A2A: your runs of an orchestration that messages have begun, of the last seven days',
    problems: of_orchestrations,
  },
  'orchestrate_a2a.task': {
    ...a2aEndpoints['a2a.task'],
    path: '/orchestrations/{name}/a2a/tasks/{task_id}',
    summary: 'GetTask of A2A: one of your runs of an orchestration',
    problems: of_orchestrations,
  },
  'orchestrate_a2a.cancel': {
    ...a2aEndpoints['a2a.cancel'],
    path: '/orchestrations/{name}/a2a/tasks/{task_id}:cancel',
    summary: 'CancelTask of A2A: cancel one of your runs of an orchestration',
    problems: of_orchestrations,
  },
  'orchestrate_a2a.subscribe': {
    ...a2aEndpoints['a2a.subscribe'],
    path: '/orchestrations/{name}/a2a/tasks/{task_id}:subscribe',
    summary: 'SubscribeToTask of A2A: follow one of your runs of an orchestration as server-sent events',
    problems: of_orchestrations,
  },
  'orchestrate_a2a.watch': {
    ...a2aEndpoints['a2a.watch'],
    path: '/orchestrations/{name}/a2a/tasks/{task_id}:subscribe',
    summary: 'SubscribeToTask of A2A for an orchestration, by GET',
    problems: of_orchestrations,
  },
} as const satisfies Record<string, Endpoint>;
