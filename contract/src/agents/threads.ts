// Threads of agents, for the people whose they are. The service reads them without waking the agent.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { byId, id, json, name, paging, time } from '../wire.ts';
import { callRefusals } from './invoke.ts';
import { threadName } from './memory.ts';

const byAgent = z.strictObject({ name });
const thread = z
  .string()
  .min(1)
  .max(1024)
  .describe(
    'the name or the id of a thread; one whose name has other characters than letters, digits, `.`, `_`, `~` and `-` has its id alone',
  );
export const byThread = z.strictObject({ name, thread });

/**
 * `working`: a call works on it, or waits for its turn. `waiting`: it waits for the answer of a person. `interrupted`: its last run ended before
 * its last step. `idle`: its last run has ended.
 */
export const threadStates = ['working', 'waiting', 'interrupted', 'idle'] as const;

/** What an admin of the agent sees of everybody's threads: no text, and no name, which a caller chooses. */
const outline = z.object({
  id,
  state: z.enum(threadStates),
  next: z.array(z.string()).describe('the steps that come next'),
  via: z
    .string()
    .nullable()
    .describe('the assets through which the caller came, nearest first; null: the caller alone'),
  bytes: z.int().describe('as stored'),
  created_at: time,
  used_at: time,
  waiting_since: time.nullable(),
});
export const threadOutline = outline.extend({ owner: z.string().describe('an e-mail address, or a reference') });
export type ThreadOutline = z.output<typeof threadOutline>;

/** The most characters of a title. */
export const title_length = 80;

export const threadSummary = outline.extend({
  thread_id: z.string().describe('its name, for calls'),
  title: z
    .string()
    .max(title_length)
    .nullable()
    .optional()
    .describe('its first words, where `titles` asks for them; null: it has none'),
});
export type ThreadSummary = z.output<typeof threadSummary>;

export const interrupt = z.object({
  id: z.string().nullable(),
  value: json,
  response_schema: json.optional().describe('the JSON Schema that an answer must fit, where the graph has given one'),
});
export type Interrupt = z.output<typeof interrupt>;

const state = z.object({
  checkpoint_id: z.string(),
  parent_id: z.string().nullable(),
  values: z.record(z.string(), json),
  next: z.array(z.string()).nullable().describe('null: not told by its run'),
  source: z.string().describe('input, loop, update or fork'),
  step: z.int(),
  run_id: z.string().nullable(),
  created_at: time,
});
export const threadState = state;
export type ThreadState = z.output<typeof state>;

export const threadDetail = threadSummary.extend({
  interrupts: z.array(interrupt).describe('what it waits for; answer with `resume`'),
  latest: state.nullable().describe('null: nothing is stored yet'),
  continues_at: z
    .array(z.string())
    .describe('the steps that a `resume` without a value does again; they may have run already'),
});
export type ThreadDetail = z.output<typeof threadDetail>;

/** What its caller thinks of the answers of its runs. */
const ratedRun = z.object({ run_id: id, is_good: z.boolean(), reason: z.string().describe('empty: without one') });
export type RatedRun = z.output<typeof ratedRun>;
/** The most of them that a thread shows. */
export const most_rated_runs = 50;

export const ownThreadDetail = threadDetail.extend({
  feedback: z.array(ratedRun).describe(`of its runs, the newest first, at most ${most_rated_runs}`),
});
export type OwnThreadDetail = z.output<typeof ownThreadDetail>;

/** A thread of somebody, for an admin of the agent. */
export const lookedAtThread = threadDetail.extend({ owner: z.string().describe('an e-mail address, or a reference') });

/** What waits for a person, in one place for all agents. */
export const waitingRun = z.object({
  agent: z.string().describe('agents/<name>'),
  orchestration: z.string().nullable().describe('orchestrations/<name>, when a run of it waits for this member'),
  thread: id,
  thread_id: z.string().nullable().describe('null: of another caller, or of an orchestration'),
  caller: z.string().describe('whose run it is: an e-mail address, or a reference'),
  is_own: z.boolean(),
  interrupts: z.array(interrupt),
  checkpoint_id: z.string().describe('the state that an answer belongs to'),
  waiting_since: time,
});
export type WaitingRun = z.output<typeof waitingRun>;

/** What was erased, by kind. The same is in the audit log. */
const forgetReceipt = z.object({
  user: z.string(),
  erased: z.record(z.string(), z.int()).describe('kind → the number of rows'),
  entry: z.string().nullable().describe('the entry of the audit log'),
});

const problems = ['memory_damaged'] as const;
const own = { surface: 'ingress', operation: 'asset.invoke', problems } as const;

export const threadsEndpoints = {
  'threads.list': {
    ...own,
    method: 'GET',
    path: '/agents/{name}/threads',
    summary: 'Your threads with an agent, the last used first',
    params: byAgent,
    query: z.strictObject({
      ...paging,
      state: z.enum(threadStates).optional(),
      titles: z.stringbool().default(false).describe('also the first words of each thread, which are opened for it'),
    }),
    reply: { kind: 'list', status: 200, schema: threadSummary },
    problems: ['bad_cursor'],
  },
  'threads.create': {
    ...own,
    method: 'POST',
    path: '/agents/{name}/threads',
    summary: 'Make a thread; a call with its `thread_id` goes on with it',
    params: byAgent,
    body: z.strictObject({ thread_id: threadName.optional().describe('absent: an id is made') }),
    reply: { kind: 'data', status: 201, schema: threadSummary },
    problems: ['exists', 'threads_not_kept', 'not_deployed'],
  },
  'threads.show': {
    ...own,
    method: 'GET',
    path: '/agents/{name}/threads/{thread}',
    summary: 'One of your threads: its latest state, and what it waits for',
    params: byThread,
    reply: { kind: 'data', status: 200, schema: ownThreadDetail },
  },
  'threads.history': {
    ...own,
    method: 'GET',
    path: '/agents/{name}/threads/{thread}/history',
    summary: 'The states of one of your threads, the newest first',
    params: byThread,
    query: z.strictObject({ ...paging, run_id: id.optional().describe('only those that this run has made') }),
    reply: { kind: 'list', status: 200, schema: threadState },
    problems: ['bad_cursor', ...problems],
  },
  'threads.fork': {
    ...own,
    method: 'POST',
    path: '/agents/{name}/threads/{thread}/fork',
    summary: 'A copy of one of your threads, up to one of its states',
    params: byThread,
    body: z.strictObject({
      checkpoint_id: z.string().max(200).optional().describe('absent: its latest state'),
      thread_id: threadName.optional().describe('of the copy; absent: an id is made'),
    }),
    reply: { kind: 'data', status: 201, schema: threadSummary },
    problems: ['exists', 'memory_full', ...problems],
  },
  'threads.delete': {
    ...own,
    method: 'DELETE',
    path: '/agents/{name}/threads/{thread}',
    summary: 'Delete one of your threads and all its states',
    params: byThread,
    reply: { kind: 'none', status: 204 },
    problems: ['thread_busy'],
  },
  'threads.answer': {
    surface: 'ingress',
    method: 'POST',
    path: '/agents/{name}/threads/{thread}/answer',
    summary:
      'Answer a run that waits for a person: your own, or as one of `access.may_answer`; the run goes on as its caller',
    operation: 'asset.read',
    params: byThread,
    body: z.strictObject({
      value: json.describe('the answer, as the agent takes it'),
      checkpoint_id: z.string().max(200).optional().describe('the state that you saw; absent: the present one'),
      waiting_since: time
        .optional()
        .describe('of the question that you saw: a step can ask several times at one state; absent: the present one'),
    }),
    reply: { kind: 'passed', status: 200 },
    problems: [...callRefusals, 'nothing_waits', 'answered_already', 'answer_refused'],
  },
  'inbox.list': {
    method: 'GET',
    path: '/api/v1/inbox',
    summary: 'What waits for your answer: your own runs, and those that you may answer, the longest waiting first',
    operation: 'inbox.read',
    query: z.strictObject({ ...paging, own: z.stringbool().optional().describe('only your own runs') }),
    reply: { kind: 'list', status: 200, schema: waitingRun },
    problems: ['bad_cursor', 'memory_damaged'],
  },
  'threads.forget_user': {
    method: 'POST',
    path: '/api/v1/users/{id}/forget',
    summary:
      'Erase what agents and their calls keep of a user: threads, items, answers, contents of traces. The log keeps who did what. A removed user too',
    operation: 'user.forget',
    params: byId,
    body: z.strictObject({}),
    reply: { kind: 'data', status: 200, schema: forgetReceipt },
    problems: [],
  },
  'threads.all': {
    method: 'GET',
    path: '/api/v1/agents/{name}/threads',
    summary: "Everybody's threads with an agent, without names and texts",
    operation: 'thread.read_all',
    params: byAgent,
    query: z.strictObject({ ...paging }),
    reply: { kind: 'list', status: 200, schema: threadOutline },
    problems: ['bad_cursor'],
  },
  'threads.look': {
    method: 'GET',
    path: '/api/v1/agents/{name}/threads/{id}',
    summary: "Somebody's thread with an agent and its latest state, on record; where `admins_read_threads` allows it",
    operation: 'thread.read_all',
    params: z.strictObject({ name, id }),
    reply: { kind: 'data', status: 200, schema: lookedAtThread },
    problems: ['conflict', 'memory_damaged'],
  },
} as const satisfies Record<string, Endpoint>;
