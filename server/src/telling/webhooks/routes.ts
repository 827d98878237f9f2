import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import type { Handlers } from '../../governance/http/handlers.ts';
import type { Outbound } from '../../ground/outbound/outbound.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { listDeliveries } from './list-deliveries.ts';
import { list } from './list.ts';
import { redeliver } from './redeliver.ts';
import { rotate } from './rotate.ts';
import { show } from './show.ts';
import { testWebhook } from './test-webhook.ts';

export interface WebhookParts {
  db: Database;
  cursors: Cursors;
  outbound: Outbound;
  secret_key: Buffer;
}

export function webhooksRoutes(parts: WebhookParts): Handlers<'webhooks'> {
  const { db, cursors } = parts;
  return {
    'webhooks.list': async ({ caller, query }) => await list(db, cursors, caller, query),
    'webhooks.create': async ({ caller, body }) => await create(parts, caller, body),
    'webhooks.show': async ({ caller, params }) => await show(db, caller, params.name),
    'webhooks.delete': async ({ caller, params }) => await remove(db, caller, params.name),
    'webhooks.rotate': async ({ caller, params, body }) => await rotate(parts, caller, params.name, body.grace_seconds),
    'webhooks.test': async ({ caller, params, signal }) => await testWebhook(parts, caller, params.name, signal),
    'webhooks.deliveries': async ({ caller, params, query }) =>
      await listDeliveries(db, cursors, caller, params.name, query),
    'webhooks.redeliver': async ({ caller, params }) => await redeliver(db, caller, params.name, params.id),
  };
}
