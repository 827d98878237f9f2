// Shares of one conversation: who else may read it, and until when. A share gives no right on the agent and none on another thread.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { id, name, paging, time } from '../wire.ts';
import { byThread, lookedAtThread, threadState } from './threads.ts';

/** Of a share that names no days, where the organisation allows so many. */
export const default_share_days = 7;

export const shareWith = ['user', 'team'] as const;

export const threadShare = z.object({
  id,
  principal_type: z.enum(shareWith),
  principal_id: z.string().describe('an e-mail address or a team name'),
  ends_at: time,
  created_at: time,
});
export type ThreadShare = z.output<typeof threadShare>;

/** A share as those see it who may read the conversation. It has no words of the conversation, because each look at these is on record. */
export const sharedThread = z.object({
  id: id.describe('of the share'),
  owner: z.string().describe('an e-mail address, or a reference'),
  with: z.string().describe('you, as user:<e-mail>, or one of your teams'),
  ends_at: time,
  created_at: time,
});
export type SharedThread = z.output<typeof sharedThread>;

export const sharedThreadDetail = lookedAtThread.extend({
  share: sharedThread,
  history: z.array(threadState).nullable().describe('its newest states, where `history` asks for them'),
});
export type SharedThreadDetail = z.output<typeof sharedThreadDetail>;

const own = { surface: 'ingress', operation: 'asset.invoke', problems: [] } as const;

export const threadSharesEndpoints = {
  'threads.share': {
    ...own,
    method: 'POST',
    path: '/agents/{name}/threads/{thread}/shares',
    summary:
      'Let a person or a team who may use the agent read one of your threads; again with the same: until another time',
    params: byThread,
    body: z.strictObject({
      principal_type: z.enum(shareWith),
      principal_id: z.string().min(1).max(254).describe('an e-mail address, or the name of a team'),
      days: z
        .int()
        .min(1)
        .max(365)
        .optional()
        .describe(
          `until it ends; absent: ${default_share_days}, or fewer where the setting share_threads_days says so`,
        ),
    }),
    reply: { kind: 'data', status: 201, schema: threadShare },
    problems: ['conflict'],
  },
  'threads.shares': {
    ...own,
    method: 'GET',
    path: '/agents/{name}/threads/{thread}/shares',
    summary: 'Who may read one of your threads, and until when',
    params: byThread,
    query: z.strictObject({ ...paging }),
    reply: { kind: 'list', status: 200, schema: threadShare },
    problems: ['bad_cursor'],
  },
  'threads.unshare': {
    ...own,
    method: 'DELETE',
    path: '/agents/{name}/threads/{thread}/shares/{share}',
    summary: 'Take back a share of one of your threads',
    params: byThread.extend({ share: id }),
    reply: { kind: 'none', status: 204 },
  },
  'threads.shared': {
    ...own,
    method: 'GET',
    path: '/agents/{name}/shared-threads',
    summary: 'The threads of others with an agent that are shared with you, the newest share first',
    params: z.strictObject({ name }),
    query: z.strictObject({ ...paging }),
    reply: { kind: 'list', status: 200, schema: sharedThread },
    problems: ['bad_cursor'],
  },
  'threads.look_shared': {
    ...own,
    method: 'GET',
    path: '/agents/{name}/shared-threads/{share}',
    summary: 'A thread that is shared with you and its latest state, on record',
    params: z.strictObject({ name, share: id }),
    query: z.strictObject({
      history: z.stringbool().default(false).describe('also its newest states, at most 100'),
    }),
    reply: { kind: 'data', status: 200, schema: sharedThreadDetail },
    problems: ['memory_damaged'],
  },
} as const satisfies Record<string, Endpoint>;
