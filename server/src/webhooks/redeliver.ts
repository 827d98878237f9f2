import { Problem } from '@gantry/contract/problems.ts';
import type { Delivery } from '@gantry/contract/webhooks.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { theOrg } from '../access/subject.ts';
import type { Database } from '../database/database.ts';
import { toDelivery } from './records.ts';
import { find } from './show.ts';
import * as store from './store.ts';

/** Sends a delivery that arrived or was given up once more. */
export async function redeliver(db: Database, caller: Caller, name: string, id: string): Promise<Delivery> {
  authorize(caller, 'webhook.change', theOrg);
  const webhook = await find(db, name);
  if ((await store.deliveryById(db, webhook.id, id)) !== undefined && !(await store.requeue(db, id)))
    throw new Problem('conflict', {
      detail: 'This delivery is on its way already.',
      hint: `Look at it: svc webhook deliveries ${name} --state queued`,
    });
  const row = await store.deliveryById(db, webhook.id, id);
  if (row === undefined)
    throw new Problem('not_found', {
      detail: `${name} has no such delivery.`,
      hint: `See which there are: svc webhook deliveries ${name}`,
    });
  return toDelivery(row);
}
