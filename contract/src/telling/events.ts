// What changes, for pages that show it. An event has no content: its reader asks again.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { id } from '../wire.ts';

/**
 * - `connected`   the stream begins; what was read before may be older
 * - `everything`  the reader has missed events, and asks for all again
 *
 * The others are what changed.
 */
export const changeKinds = [
  'connected',
  'everything',
  'asset',
  'approval',
  'deployment',
  'notification',
  'key',
  'budget',
  'secret',
  'team',
  'user',
  'group',
  'principal',
  'org',
  'webhook',
] as const;
export type ChangeKind = (typeof changeKinds)[number];

export const liveChange = z.object({
  kind: z.enum(changeKinds),
  id: id.nullable().describe('null when the change is about no one row, or when the row is gone'),
  name: z
    .string()
    .optional()
    .describe(
      'the reference of an asset, the name of a team, group, service principal, secret or webhook, or an e-mail',
    ),
});
export type LiveChange = z.output<typeof liveChange>;

/** The most open streams of one caller. */
export const streams_per_caller = 8;

export const eventsEndpoints = {
  'events.follow': {
    method: 'GET',
    path: '/api/v1/events',
    summary: `What changes of that which you may read; resumes after Last-Event-ID. At most ${streams_per_caller} streams per caller`,
    operation: 'event.read',
    reply: { kind: 'events', status: 200, schema: liveChange },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
