import { randomUUID } from 'node:crypto';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { theOrg } from '../access/subject.ts';
import type { Database } from '../database/database.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { secretsOf } from './secrets.ts';
import { send, type Outcome } from './send.ts';
import { find } from './show.ts';

/** One attempt, now, past the queue: says whether the address answers, and stands in no chain. */
export async function testWebhook(
  { db, outbound, secret_key }: { db: Database; outbound: Outbound; secret_key: Buffer },
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<Outcome> {
  authorize(caller, 'webhook.change', theOrg);
  const webhook = await find(db, name);
  const body = JSON.stringify({ event: 'webhook.test', webhook: name, occurred_at: new Date().toISOString() });
  const secrets = secretsOf(secret_key, webhook);
  return await send(outbound, { url: webhook.url, id: randomUUID(), body, secrets, signal });
}
