// Events for programs outside: entries of the governance chain, sent unchanged and signed as in Standard Webhooks.
import { z } from 'zod';
import { auditEvents } from '../audit/audit.ts';
import type { Endpoint } from '../endpoint.ts';
import { byName, id, idPrefix, name, paging, shownOnce, time } from '../wire.ts';

const sent = Object.entries(auditEvents).flatMap(([event, chain]) => (chain === 'governance' ? [event] : []));

/** An event, `<noun>.*` for all events of a noun, or `*`. A filter that no event can match is an error. */
export const eventFilter = z
  .string()
  .max(60)
  .refine(
    (text) => text === '*' || sent.some((event) => event === text || `${event.split('.')[0]}.*` === text),
    'must be an event of the governance chain such as approval.decided, all of a kind such as approval.*, or *',
  );

export const webhook = z.object({
  id,
  name: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  created_by: z.string(),
  created_at: time,
  previous_secret_until: time
    .nullable()
    .describe('until then deliveries also carry the signature of the previous secret'),
  at_seq: z.number().int().describe('the entry of the governance chain that it has reached'),
  last_problem: z.string().nullable().describe('why the newest delivery has not arrived; null when it has'),
  dead: z.number().int().describe('deliveries that failed for good'),
});
export type Webhook = z.output<typeof webhook>;

export const webhookWithSecret = webhook.extend({
  secret: shownOnce('shown once, so absent when an Idempotency-Key repeats this answer'),
});

export const deliveryStates = ['queued', 'delivered', 'dead'] as const;

export const delivery = z.object({
  id: id.describe('the webhook-id of every attempt'),
  event: z.string(),
  seq: z.number().int(),
  state: z.enum(deliveryStates),
  attempts: z.number().int(),
  status: z.number().int().nullable().describe('the HTTP status of the last answer'),
  problem: z.string().nullable(),
  created_at: time,
  next_attempt_at: time.nullable(),
  ended_at: time.nullable(),
});
export type Delivery = z.output<typeof delivery>;

export const attempt = z.object({
  delivered: z.boolean(),
  status: z.number().int().nullable(),
  problem: z.string().nullable(),
});

/** After this time a finished delivery is deleted. The log keeps its entry. */
export const delivery_days = 30;

export const webhooksEndpoints = {
  'webhooks.list': {
    method: 'GET',
    path: '/api/v1/webhooks',
    summary: 'All webhooks and their progress',
    operation: 'webhook.read',
    query: z.strictObject(paging),
    reply: { kind: 'list', status: 200, schema: webhook },
    problems: ['bad_cursor'],
  },
  'webhooks.create': {
    method: 'POST',
    path: '/api/v1/webhooks',
    summary: 'Send the events of the governance chain to an address, from now on',
    operation: 'webhook.change',
    body: z.strictObject({
      name,
      url: z.url({ protocol: /^https?$/ }).max(2000),
      events: z.array(eventFilter).min(1).max(50),
    }),
    reply: { kind: 'data', status: 201, schema: webhookWithSecret },
    problems: ['exists'],
  },
  'webhooks.show': {
    method: 'GET',
    path: '/api/v1/webhooks/{name}',
    summary: 'One webhook',
    operation: 'webhook.read',
    params: byName,
    reply: { kind: 'data', status: 200, schema: webhook },
    problems: [],
  },
  'webhooks.delete': {
    method: 'DELETE',
    path: '/api/v1/webhooks/{name}',
    summary: 'Delete a webhook; pending deliveries are dropped',
    operation: 'webhook.change',
    params: byName,
    reply: { kind: 'none', status: 204 },
    problems: [],
  },
  'webhooks.rotate': {
    method: 'POST',
    path: '/api/v1/webhooks/{name}/rotate',
    summary: 'Create a new secret; the previous one also signs during a grace',
    operation: 'webhook.change',
    params: byName,
    body: z.strictObject({
      grace_seconds: z
        .number()
        .int()
        .min(0)
        .max(7 * 86_400)
        .default(86_400)
        .describe('how long the previous secret also signs'),
    }),
    reply: { kind: 'data', status: 200, schema: webhookWithSecret },
    problems: [],
  },
  'webhooks.test': {
    method: 'POST',
    path: '/api/v1/webhooks/{name}/test',
    summary: 'Send one event webhook.test now, and report its answer',
    operation: 'webhook.change',
    params: byName,
    reply: { kind: 'data', status: 200, schema: attempt },
    problems: [],
  },
  'webhooks.deliveries': {
    method: 'GET',
    path: '/api/v1/webhooks/{name}/deliveries',
    summary: `Deliveries, newest first; ended ones are listed for ${delivery_days} days`,
    operation: 'webhook.read',
    params: byName,
    query: z.strictObject({
      state: z.enum(deliveryStates).optional(),
      id: idPrefix.optional().describe('the first characters of the id'),
      ...paging,
    }),
    reply: { kind: 'list', status: 200, schema: delivery },
    problems: ['bad_cursor'],
  },
  'webhooks.redeliver': {
    method: 'POST',
    path: '/api/v1/webhooks/{name}/deliveries/{id}/redeliver',
    summary: 'Send a delivery again, under the same id',
    operation: 'webhook.change',
    params: z.strictObject({ name, id }),
    reply: { kind: 'data', status: 200, schema: delivery },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
