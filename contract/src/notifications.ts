import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { id, paging, time } from './wire.ts';

/** What became of a request. */
export const notificationKinds = [
  'submitted',
  'withdrawn',
  'approved',
  'rejected',
  'superseded',
  'revoked',
  'expired',
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** Told to those who decide; the others to who submitted the request, whom they are about. */
export const toldToAdmins: readonly NotificationKind[] = ['submitted', 'withdrawn'];

export const notification = z.object({
  id,
  kind: z.enum(notificationKinds),
  approval_id: id,
  asset: z.string().describe('agents/<name>'),
  asset_version: z.string(),
  target: z.string(),
  by: z.string().describe('whoever did it, by e-mail'),
  text: z
    .string()
    .describe('the message of the request, or the reason of the decision; empty for who may not read it any more'),
  audit_seq: z.number().int().describe('the entry of the governance chain'),
  created_at: time,
  read_at: time.nullable(),
});
export type Notification = z.output<typeof notification>;

export const notificationCounts = z.object({
  pending: z.number().int().describe('requests that you may decide now'),
  unread: z.number().int(),
});

/** What was told, read or not, is then forgotten, and so is its mail. The log keeps what it was about. */
export const notificationDays = 90;
/** What became of a mail is then forgotten. */
export const mailDays = 30;

export const notificationsEndpoints = {
  'notifications.list': {
    method: 'GET',
    path: '/api/v1/notifications',
    summary: `What you were told in the last ${notificationDays} days, newest first`,
    operation: 'notification.read',
    query: z.strictObject({ unread: z.stringbool().default(false), ...paging }),
    reply: { kind: 'list', status: 200, schema: notification },
    problems: ['bad_cursor'],
  },
  'notifications.count': {
    method: 'GET',
    path: '/api/v1/notifications/count',
    summary: 'How many requests wait for your decision, and how many notifications are unread',
    operation: 'notification.read',
    reply: { kind: 'data', status: 200, schema: notificationCounts },
    problems: [],
  },
  'notifications.read': {
    method: 'POST',
    path: '/api/v1/notifications/read',
    summary: 'Mark notifications of yours as read; ids of others change nothing',
    operation: 'notification.read',
    body: z.strictObject({ ids: z.array(id).min(1).max(200) }),
    reply: { kind: 'data', status: 200, schema: notificationCounts },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
