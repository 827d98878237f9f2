// Promise: every entry of the governance chain that a webhook is about arrives there at least once, in order, or is given up after a day and
// said to be. It follows the chain by a cursor, so nothing needs to tell it. Each webhook is sent one delivery at a time, and one that is
// down holds up no other. A process that dies leaves its delivery to the next, which sends it under the same id.
import { randomUUID } from 'node:crypto';
import { deliveryDays } from '@gantry/contract/webhooks.ts';
import { entryAt } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { startLoop, type Loop } from '../runs/loop.ts';
import * as queue from './queue-store.ts';
import { secretsOf } from './secrets.ts';
import { send, send_ms, type Outcome } from './send.ts';
import * as store from './store.ts';

export interface Delivering {
  db: Database;
  outbound: Outbound;
  secret_key: Buffer;
  /** No other process works on this database. */
  alone: boolean;
  onError: (error: unknown) => void;
}

const at_a_time = 32;
const pause_ms = 500;
const lease_ms = 4 * send_ms;
const first_wait_ms = 5000;
const longest_wait_ms = 60 * 60_000;
const forget_pause_ms = 15 * 60_000;
const forgetting = { keep_days: deliveryDays, most: 1000 };

export async function startDelivering(parts: Delivering): Promise<Pick<Loop, 'stop'>> {
  const { db, alone, onError } = parts;
  if (alone) await queue.releaseAll(db);
  const stopping = new AbortController();
  const under_way = new Set<Promise<void>>();

  const begin = (claim: queue.Claim) => {
    const delivering = deliver(parts, claim, stopping.signal)
      .catch(onError)
      .finally(() => {
        under_way.delete(delivering);
        loop.ring();
      });
    under_way.add(delivering);
  };
  const loop = startLoop(
    async () => {
      if (under_way.size >= at_a_time) return false;
      const next = await queue.claimNext(db, randomUUID(), lease_ms);
      if (next === undefined) return false;
      if (next !== 'passed') begin(next);
      return true;
    },
    { pause_ms, onError },
  );
  const forget = startLoop(async () => await queue.forgetOld(db, forgetting), { pause_ms: forget_pause_ms, onError });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([loop.stop(), forget.stop()]);
      await Promise.all(under_way);
    },
  };
}

async function deliver(parts: Delivering, claim: queue.Claim, stopping: AbortSignal): Promise<void> {
  const { delivered, ...outcome } = await attempt(parts, claim, stopping).catch((error: unknown): Outcome => {
    // Counted like any other, so that what can never be sent is given up in the end and delays nothing behind it.
    parts.onError(error instanceof Error ? error : new Error(String(error)));
    return { delivered: false, status: null, problem: 'it could not be made ready; the service log says why' };
  });
  if (stopping.aborted && !delivered) return await queue.release(parts.db, claim);
  // Somewhere in the upper half, so that those that failed together do not come back together.
  const wait_ms = Math.min(first_wait_ms * 2 ** (claim.attempts - 1), longest_wait_ms) * (0.5 + Math.random() / 2);
  await queue.finish(parts.db, claim, { delivered, ...outcome }, Math.round(wait_ms));
}

async function attempt(
  { db, outbound, secret_key }: Delivering,
  claim: queue.Claim,
  signal: AbortSignal,
): Promise<Outcome> {
  const webhook = await store.byId(db, claim.webhook_id);
  if (webhook === undefined) return { delivered: false, status: null, problem: 'the webhook is gone' };
  const entry = await entryAt(db, 'governance', claim.seq);
  if (entry === undefined) return { delivered: false, status: null, problem: 'its entry is not in the log any more' };
  const secrets = secretsOf(secret_key, webhook);
  return await send(outbound, { url: webhook.url, id: claim.id, body: JSON.stringify(entry), secrets, signal });
}
