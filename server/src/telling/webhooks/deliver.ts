// Promise: every entry for a webhook arrives at least once, in order, or is listed as failed after a day. Each webhook follows the
// governance chain with its own cursor, which advances when a delivery has arrived or failed. An unreachable address has one job for any
// number of due entries, and delays no other webhook.
import { delivery_days } from '@gantry/contract/telling/webhooks.ts';
import { entryAt, follow } from '../../governance/audit/follow.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Outbound } from '../../ground/outbound/outbound.ts';
import { enqueue, type QueueRules } from '../../ground/queue/queue.ts';
import type { Job, Outcome, Queue } from '../../ground/queue/work.ts';
import { secretsOf } from './secrets.ts';
import { send, send_ms } from './send.ts';
import * as store from './store.ts';

export interface Delivering {
  db: Database;
  outbound: Outbound;
  secret_key: Buffer;
}

const rules = {
  name: 'webhook',
  at_a_time: 32,
  lease_ms: 4 * send_ms,
  first_wait_ms: 5000,
  longest_wait_ms: 60 * 60_000,
  give_up_hours: 24,
  keep_days: delivery_days,
} satisfies QueueRules;

export function delivering(parts: Delivering): Queue {
  return {
    ...rules,
    feed: async () => await enqueueNext(parts.db),
    work: async (job, signal) => await deliver(parts, job, signal),
  };
}

async function enqueueNext(db: Database): Promise<boolean> {
  const ready = await store.readyForNext(db);
  for (const { id, events } of ready)
    await follow(db, { cursor: store.cursorOf(id), filter: { events }, limit: 1 }, async (tx, [entry]) => {
      // Another process may have been first.
      if ((await store.readyForNext(tx, id)).length === 0) return false;
      if (entry === undefined) return;
      const { seq, event, occurred_at: since } = entry;
      const [job_id] = await enqueue(tx, rules, [{ key: `${id} ${seq}`, since }]);
      if (job_id !== undefined) await store.insertDelivery(tx, { id: job_id, webhook_id: id, seq, event });
    });
  return ready.length > 0;
}

async function deliver({ db, outbound, secret_key }: Delivering, { id }: Job, signal: AbortSignal): Promise<Outcome> {
  const to = await store.recipientOf(db, id);
  if (to === undefined) return { state: 'dropped' };
  const entry = await entryAt(db, 'governance', to.seq);
  if (entry === undefined) return { state: 'failed', problem: 'its entry is no longer in the log' };
  const message = { url: to.url, id, body: JSON.stringify(entry), secrets: secretsOf(secret_key, to), signal };
  const { delivered, status, problem } = await send(outbound, message);
  const record = async (tx: Parameters<typeof store.setStatus>[0]) => await store.setStatus(tx, id, status);
  return { state: delivered ? 'done' : 'retry', problem, record };
}
