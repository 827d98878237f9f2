import { Problem } from '@gantry/contract/problems.ts';
import type { Webhook } from '@gantry/contract/telling/webhooks.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { actorOf, type Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { errorCode, unique_violation, type Database } from '../../ground/database/database.ts';
import { DestinationRefused, type Outbound } from '../../ground/outbound/outbound.ts';
import { toWebhook } from './records.ts';
import { makeSecret } from './secrets.ts';
import { find } from './show.ts';
import * as store from './store.ts';

export interface WebhookInput {
  name: string;
  url: string;
  events: string[];
}

/** Returns the secret, which nothing shows again. */
export async function create(
  { db, outbound, secret_key }: { db: Database; outbound: Outbound; secret_key: Buffer },
  caller: Caller,
  { name, url, events }: WebhookInput,
): Promise<Webhook & { secret: string }> {
  const grant = authorize(caller, 'webhook.change', theOrg);
  const address = await checked(outbound, url);
  const { wrapped, shown } = makeSecret(secret_key);
  const after = { url: address, events };
  await change(db, grant, 'webhook.created', async (tx, note) => {
    await store.insert(tx, { name, ...after, secret: wrapped, created_by: actorOf(caller).name });
    note({ webhook: name, before: null, after });
  }).catch((error: unknown) => {
    if (errorCode(error) === unique_violation)
      throw new Problem('exists', { detail: `A webhook ${name} exists already.` });
    throw error;
  });
  return { ...toWebhook(await find(db, name)), secret: shown };
}

async function checked(outbound: Outbound, url: string): Promise<string> {
  try {
    return (await outbound.check(url)).href;
  } catch (error) {
    if (!(error instanceof DestinationRefused)) throw error;
    throw new Problem('invalid', {
      detail: error.message,
      hint: 'To allow it, an operator lists the host, beside those that are there: `svc server set OUTBOUND_PRIVATE_HOSTS+=<host>,…`, then `svc server restart`.',
      errors: [{ pointer: '/body/url', message: error.message }],
    });
  }
}
