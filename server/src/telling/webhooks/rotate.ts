import type { Webhook } from '@gantry/contract/telling/webhooks.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import { toWebhook } from './records.ts';
import { makeSecret } from './secrets.ts';
import { find } from './show.ts';
import * as store from './store.ts';

/** Returns the new secret, which nothing shows again. The entry records the change, never the secret. */
export async function rotate(
  { db, secret_key }: { db: Database; secret_key: Buffer },
  caller: Caller,
  name: string,
  grace_seconds: number,
): Promise<Webhook & { secret: string }> {
  const grant = authorize(caller, 'webhook.change', theOrg);
  const { id } = await find(db, name);
  const { wrapped, shown } = makeSecret(secret_key);
  await change(db, grant, 'webhook.rotated', async (tx, note) => {
    const before = await find(tx, name);
    await store.replaceSecret(tx, id, wrapped, grace_seconds);
    const after = await find(tx, name);
    const until = (row: store.WebhookRow) => ({ previous_secret_until: row.previous_until });
    note({ webhook: name, grace_seconds, before: until(before), after: until(after) });
  });
  return { ...toWebhook(await find(db, name)), secret: shown };
}
