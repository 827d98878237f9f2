import { sql } from '../../ground/database/sql.ts';
import type { TestApp } from '../test-app.ts';

/** An address without a listener; the service must be allowed to send there. */
export const deaf_host = '127.0.0.1:9';

export const deafWebhook = (name: string) => ({ name, url: `http://${deaf_host}/hook`, events: ['*'] });

/** Returns its name. */
export async function makeWebhook(app: TestApp, name: string): Promise<string> {
  return (await app.admin.client.call('webhooks.create', { body: deafWebhook(name) })).name;
}

/** A webhook with a failed delivery. */
export async function makeDeadDelivery(app: TestApp, name: string): Promise<{ name: string; id: string }> {
  await makeWebhook(app, name);
  const row = await app.db.one<{ id: string }>(sql`
    with job as (insert into job (queue, key, state, ended_at) values ('webhook', ${name}, 'failed', clock_now()) returning id)
    insert into webhook_delivery (id, webhook_id, seq, event)
    select job.id, webhook.id, 1, 'org.seeded' from webhook, job where name = ${name} returning id`);
  if (row === undefined) throw new Error('no delivery was made');
  return { name, id: row.id };
}
