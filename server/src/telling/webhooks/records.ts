import type { Delivery, Webhook } from '@gantry/contract/telling/webhooks.ts';
import type { DeliveryRow, WebhookRow } from './store.ts';

export function toWebhook(row: WebhookRow): Webhook {
  const { id, name, url, events, created_by, created_at, previous_until, at_seq, last_problem, dead } = row;
  return {
    id,
    name,
    url,
    events,
    created_by,
    created_at,
    previous_secret_until: previous_until,
    at_seq,
    last_problem,
    dead,
  };
}

export function toDelivery({ webhook_id: _, next_attempt_at, ...row }: DeliveryRow): Delivery {
  return { ...row, next_attempt_at: row.state === 'queued' ? next_attempt_at : null };
}
