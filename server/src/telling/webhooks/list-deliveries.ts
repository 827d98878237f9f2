import type { Page } from '@gantry/contract/endpoint.ts';
import type { Delivery } from '@gantry/contract/telling/webhooks.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { actorOf, type Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { toDelivery } from './records.ts';
import { find } from './show.ts';
import * as store from './store.ts';

export interface DeliveryQuery {
  state?: Delivery['state'] | undefined;
  /** The start of the id. */
  id?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

export async function listDeliveries(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  name: string,
  { state, id: begins_with, limit, cursor }: DeliveryQuery,
): Promise<Page<Delivery>> {
  authorize(caller, 'webhook.read', theOrg);
  const { id } = await find(db, name);
  const scope = ['deliveries', actorOf(caller).id, id, state ?? null, begins_with ?? null];
  const [last] = cursors.read(cursor, scope) ?? [];
  const before = last === undefined ? undefined : Number(last);
  const rows = await store.deliveries(db, id, { state, begins_with, before, limit: limit + 1 });
  return cursors.page(rows, limit, scope, (row) => [row.seq], toDelivery);
}
