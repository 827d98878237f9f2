import type { Page } from '@gantry/contract/endpoint.ts';
import type { Webhook } from '@gantry/contract/telling/webhooks.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { actorOf, type Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { toWebhook } from './records.ts';
import * as store from './store.ts';

export async function list(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<Webhook>> {
  authorize(caller, 'webhook.read', theOrg);
  const scope = ['webhooks', actorOf(caller).id];
  const after = String(cursors.read(cursor, scope)?.[0] ?? '');
  const rows = await store.listed(db, { after, limit: limit + 1 });
  return cursors.page(rows, limit, scope, (row) => [row.name], toWebhook);
}
