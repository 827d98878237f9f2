import { randomUUID } from 'node:crypto';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Outbound } from '../../ground/outbound/outbound.ts';
import { secretsOf } from './secrets.ts';
import { send, type Outcome } from './send.ts';
import { find } from './show.ts';

/** One attempt, now, without the queue, to test the address. The log has the sender before anything is sent. */
export async function testWebhook(
  { db, outbound, secret_key }: { db: Database; outbound: Outbound; secret_key: Buffer },
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const grant = authorize(caller, 'webhook.change', theOrg);
  const webhook = await find(db, name);
  await change(db, grant, 'webhook.tested', async (_, note) => note({ webhook: name, url: webhook.url }));
  const body = JSON.stringify({ event: 'webhook.test', webhook: name, occurred_at: new Date().toISOString() });
  const secrets = secretsOf(secret_key, webhook);
  return await send(outbound, { url: webhook.url, id: randomUUID(), body, secrets, signal });
}
