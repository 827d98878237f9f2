import { Problem } from '@gantry/contract/problems.ts';
import type { Delivery } from '@gantry/contract/telling/webhooks.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database, Reader } from '../../ground/database/database.ts';
import { requeue } from '../../ground/queue/queue.ts';
import { toDelivery } from './records.ts';
import { find } from './show.ts';
import * as store from './store.ts';

/** Sends an arrived or failed delivery again. The log has the user and the delivery. */
export async function redeliver(db: Database, caller: Caller, name: string, id: string): Promise<Delivery> {
  const grant = authorize(caller, 'webhook.change', theOrg);
  const webhook = await find(db, name);
  const deliveryNow = async (reader: Reader) => {
    const row = await store.deliveryById(reader, webhook.id, id);
    if (row !== undefined) return row;
    throw new Problem('not_found', {
      detail: `${name} has no such delivery.`,
      hint: `List its deliveries: svc webhook deliveries ${name}`,
    });
  };
  await change(db, grant, 'webhook.redelivered', async (tx, note) => {
    const { seq, event, state } = await deliveryNow(tx);
    if (!(await requeue(tx, id)))
      throw new Problem('conflict', {
        detail: 'This delivery is already queued.',
        hint: `Show it: svc webhook deliveries ${name} --state queued`,
      });
    note({ webhook: name, url: webhook.url, delivery: id, of: { seq, event }, before: state });
  });
  return toDelivery(await deliveryNow(db));
}
