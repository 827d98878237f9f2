import { Problem } from '@gantry/contract/problems.ts';
import type { Webhook } from '@gantry/contract/telling/webhooks.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database, Reader } from '../../ground/database/database.ts';
import { toWebhook } from './records.ts';
import * as store from './store.ts';

export async function show(db: Database, caller: Caller, name: string): Promise<Webhook> {
  authorize(caller, 'webhook.read', theOrg);
  return toWebhook(await find(db, name));
}

/** Throws `not_found`. */
export async function find(db: Reader, name: string): Promise<store.WebhookRow> {
  const row = await store.byName(db, name);
  if (row === undefined)
    throw new Problem('not_found', {
      detail: `There is no webhook ${name}.`,
      hint: 'List them: svc webhook list',
    });
  return row;
}
