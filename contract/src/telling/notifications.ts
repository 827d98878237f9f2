import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { id, paging, time } from '../wire.ts';

/** The outcome of a request. */
export const requestKinds = [
  'submitted',
  'withdrawn',
  'approved',
  'rejected',
  'superseded',
  'revoked',
  'expired',
] as const;
export type RequestKind = (typeof requestKinds)[number];

/** Admins get these kinds. The submitter gets the others. */
export const kindsForAdmins: readonly NotificationKind[] = ['submitted', 'withdrawn'];

/** About an account that pays for calls to models, an agent, a knowledge base or RAG index, or a target. */
export const accountKinds = [
  'budget_reached',
  'key_paused',
  'agent_crashing',
  'agent_steady',
  'refresh_failed',
  'target_drifted',
] as const;
export type AccountKind = (typeof accountKinds)[number];

export const notificationKinds = [
  ...requestKinds,
  ...accountKinds,
  'runs_wait',
  'calls_wait',
  'questions_wait',
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

export const notification = z.object({
  id,
  kind: z.enum(notificationKinds),
  approval_id: id
    .nullable()
    .describe('the request; null when it is about an account, or about runs or calls that wait'),
  asset: z.string().nullable().describe('agents/<name>, or the server of calls that wait'),
  asset_version: z.string().nullable(),
  target: z.string().nullable(),
  account: z
    .string()
    .nullable()
    .describe(
      'whose budget it is about, such as team:<name>, or the agent, knowledge base or RAG index; null when it is about a request, or about runs or calls that wait',
    ),
  by: z.string().describe('the actor, by e-mail'),
  text: z
    .string()
    .describe(
      'the message of the request, or the reason of the decision, empty when you may no longer read it; or what happened to the account, or what waits',
    ),
  audit_seq: z.number().int().describe('the entry of the governance chain'),
  created_at: time,
  read_at: time.nullable(),
});
export type Notification = z.output<typeof notification>;

/** A badge counts no more of them. */
export const most_waiting_runs = 100;

export const notificationCounts = z.object({
  pending: z.number().int().describe('requests that you may decide now'),
  waiting_runs: z.number().int().describe(`runs that wait for your answer, at most ${most_waiting_runs}`),
  waiting_calls: z.number().int().describe(`calls of tools that wait for your decision, at most ${most_waiting_runs}`),
  waiting_questions: z
    .number()
    .int()
    .describe(`questions of MCP servers that wait for your answer, at most ${most_waiting_runs}`),
  waiting_consents: z.number().int().describe(`agents that want to act in your name, at most ${most_waiting_runs}`),
  unread: z.number().int(),
});

/** After this time a notification and its mail are deleted. The log keeps the event. */
export const notification_days = 90;
/** After this time a finished mail is deleted. */
export const mail_days = 30;

export const notificationsEndpoints = {
  'notifications.list': {
    method: 'GET',
    path: '/api/v1/notifications',
    summary: `Your notifications of the last ${notification_days} days, newest first`,
    operation: 'notification.read',
    query: z.strictObject({ unread: z.stringbool().default(false), ...paging }),
    reply: { kind: 'list', status: 200, schema: notification },
    problems: ['bad_cursor'],
  },
  'notifications.count': {
    method: 'GET',
    path: '/api/v1/notifications/count',
    summary:
      'How many requests wait for your decision, how many runs for your answer, and how many notifications are unread',
    operation: 'notification.read',
    reply: { kind: 'data', status: 200, schema: notificationCounts },
    problems: [],
  },
  'notifications.read': {
    method: 'POST',
    path: '/api/v1/notifications/read',
    summary: 'Mark your notifications as read; other ids have no effect',
    operation: 'notification.read',
    body: z.strictObject({ ids: z.array(id).min(1).max(200) }),
    reply: { kind: 'data', status: 200, schema: notificationCounts },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
