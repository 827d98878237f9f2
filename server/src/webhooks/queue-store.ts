// The queue is the audit log itself: of what is still to be sent to an address that is down, there is one row, however much it is.
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Outcome } from './send.ts';
import type { DeliveryRow } from './store.ts';

export type Claim = Pick<DeliveryRow, 'id' | 'webhook_id' | 'seq' | 'attempts'> & { claim: string };

/**
 * What a webhook is to be sent next, held for this claim; `passed` when a webhook had nothing to be sent up to now, undefined when no webhook
 * has anything due that nobody holds.
 */
export async function claimNext(db: Database, claim: string, lease_ms: number): Promise<Claim | 'passed' | undefined> {
  return await db.transaction(async (tx) => {
    const head = await tx.one<{ seq: number }>(sql`select seq from audit.head where chain = 'governance'`);
    const position = await tx.one<Position>(sql`
      select p.webhook_id, p.seq from webhook_position p
      where (p.lease_until is null or p.lease_until < clock_now()) and (
        exists (select 1 from webhook_delivery d where d.webhook_id = p.webhook_id and d.state = 'queued' and d.next_attempt_at <= clock_now())
        or (p.seq < ${head?.seq} and not exists (select 1 from webhook_delivery d where d.webhook_id = p.webhook_id and d.state = 'queued')))
      order by p.seq limit 1 for update of p skip locked`);
    if (position === undefined || head === undefined) return undefined;
    const queued = (await dueDelivery(tx, position)) ?? (await nextDelivery(tx, position, head.seq));
    if (queued === undefined) return 'passed';
    await tx.run(sql`
      update webhook_position set claim = ${claim}, lease_until = clock_now() + ${lease_ms}::int * interval '1 ms'
      where webhook_id = ${position.webhook_id}`);
    const started = await tx.one<Omit<Claim, 'claim'>>(sql`
      update webhook_delivery set attempts = attempts + 1 where id = ${queued.id} returning id, webhook_id, seq, attempts`);
    return started && { ...started, claim };
  });
}

interface Position {
  webhook_id: string;
  seq: number;
}

async function dueDelivery(tx: Tx, { webhook_id }: Position): Promise<{ id: string } | undefined> {
  return await tx.one<{ id: string }>(sql`
    select id from webhook_delivery where webhook_id = ${webhook_id} and state = 'queued' and next_attempt_at <= clock_now() order by seq limit 1`);
}

/** Of the next entry that the webhook is about, which it has then come to. An entry older than a day gets one attempt. */
async function nextDelivery(tx: Tx, { webhook_id, seq }: Position, head: number): Promise<{ id: string } | undefined> {
  const made = await tx.one<{ id: string; seq: number }>(sql`
    insert into webhook_delivery (webhook_id, seq, event, give_up_at)
    select w.id, e.seq, e.event, greatest(clock_now(), e.occurred_at::timestamptz + interval '24 h')
    from webhook w, audit.entry e
    where w.id = ${webhook_id} and e.chain = 'governance' and e.seq > ${seq} and e.seq <= ${head}
      and (w.events && array['*', e.event, split_part(e.event, '.', 1) || '.*'])
    order by e.seq limit 1 returning id, seq`);
  await tx.run(sql`update webhook_position set seq = ${made?.seq ?? head} where webhook_id = ${webhook_id}`);
  return made;
}

/** What became of an attempt; a claim that was lost meanwhile changes nothing. */
export async function finish(
  db: Database,
  claim: Claim,
  { delivered, status, problem }: Outcome,
  wait_ms: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    const held = await tx.run(sql`
      update webhook_position set claim = null, lease_until = null where webhook_id = ${claim.webhook_id} and claim = ${claim.claim}`);
    if (held === 0) return;
    // One reading of the clock: state and end must not disagree.
    await tx.run(sql`
      update webhook_delivery set status = ${status}, problem = ${problem}, state = became.state, next_attempt_at = next.at,
        ended_at = case when became.state <> 'queued' then clock_now() end
      from (select clock_now() + ${wait_ms}::int * interval '1 ms' as at) as next, lateral (
        select case when ${delivered}::boolean then 'delivered' when next.at > d.give_up_at then 'dead' else 'queued' end as state
        from webhook_delivery d where d.id = ${claim.id}) as became
      where id = ${claim.id}`);
  });
}

/** Hands a delivery that was broken off back: it is due at once. */
export async function release(db: Tx, { webhook_id, claim }: Claim): Promise<void> {
  await db.run(
    sql`update webhook_position set claim = null, lease_until = null where webhook_id = ${webhook_id} and claim = ${claim}`,
  );
}

/** Only where no other process sends: what is claimed was claimed by one that was killed. */
export async function releaseAll(db: Tx): Promise<void> {
  await db.run(sql`update webhook_position set claim = null, lease_until = null where claim is not null`);
}

/** What ended so long ago, some at a time; true when there may be more. */
export async function forgetOld(db: Tx, { keep_days, most }: { keep_days: number; most: number }): Promise<boolean> {
  const forgotten = await db.run(sql`
    delete from webhook_delivery where id in (
      select id from webhook_delivery where state <> 'queued' and ended_at < clock_now() - make_interval(days => ${keep_days})
      order by ended_at limit ${most} for update skip locked)`);
  return forgotten === most;
}
