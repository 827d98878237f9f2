import type { deliveryStates } from '@gantry/contract/webhooks.ts';
import type { GovernedTx } from '../access/change.ts';
import type { Reader, Tx } from '../database/database.ts';
import { allOf, beginsWith, sql, type Sql } from '../database/sql.ts';

export interface WebhookRow {
  id: string;
  name: string;
  url: string;
  events: string[];
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_until: string | null;
  created_by: string;
  created_at: string;
  at_seq: number;
  last_problem: string | null;
  dead: number;
}

// The secret before is none any more once its time is over.
const columns = sql`w.id, w.name, w.url, w.events, w.secret, w.created_by, w.created_at, p.seq as at_seq,
  case when w.previous_until > clock_now() then w.previous_secret end as previous_secret,
  case when w.previous_until > clock_now() then w.previous_until end as previous_until,
  (select d.problem from webhook_delivery d where d.webhook_id = w.id order by d.seq desc limit 1) as last_problem,
  (select count(*) from webhook_delivery d where d.webhook_id = w.id and d.state = 'dead') as dead`;
const tables = sql`webhook w join webhook_position p on p.webhook_id = w.id`;

export async function listed(db: Reader, { after, limit }: { after: string; limit: number }): Promise<WebhookRow[]> {
  return await db.all<WebhookRow>(
    sql`select ${columns} from ${tables} where w.name > ${after} order by w.name limit ${limit}`,
  );
}

export async function byName(db: Reader, name: string): Promise<WebhookRow | undefined> {
  return await db.one<WebhookRow>(sql`select ${columns} from ${tables} where w.name = ${name}`);
}

export async function byId(db: Reader, id: string): Promise<WebhookRow | undefined> {
  return await db.one<WebhookRow>(sql`select ${columns} from ${tables} where w.id = ${id}`);
}

export interface NewWebhook {
  name: string;
  url: string;
  events: readonly string[];
  secret: Buffer;
  created_by: string;
}

/** It begins where the chain stands. */
export async function insert(tx: GovernedTx, { name, url, events, secret, created_by }: NewWebhook): Promise<void> {
  const [row] = await tx.write(
    'webhook',
    sql`insert into webhook (name, url, events, secret, created_by)
        values (${name}, ${url}, ${events}, ${secret}, ${created_by}) returning id`,
  );
  await tx.run(sql`
    insert into webhook_position (webhook_id, seq) select ${row?.id}::uuid, seq from audit.head where chain = 'governance'`);
}

/** The secret that it has becomes the one before; without a grace there is none. */
export async function replaceSecret(tx: GovernedTx, id: string, secret: Buffer, grace_seconds: number): Promise<void> {
  await tx.write(
    'webhook',
    sql`update webhook set secret = ${secret},
          previous_secret = case when ${grace_seconds}::int > 0 then webhook.secret end,
          previous_until = case when ${grace_seconds}::int > 0 then clock_now() + make_interval(secs => ${grace_seconds}) end
        where id = ${id} returning id`,
  );
}

/** False when it is gone. */
export async function remove(tx: GovernedTx, id: string): Promise<boolean> {
  return (await tx.write('webhook', sql`delete from webhook where id = ${id} returning id`)).length > 0;
}

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  seq: number;
  event: string;
  state: (typeof deliveryStates)[number];
  attempts: number;
  next_attempt_at: string;
  status: number | null;
  problem: string | null;
  created_at: string;
  ended_at: string | null;
}

const deliveryColumns = sql`id, webhook_id, seq, event, state, attempts, next_attempt_at, status, problem, created_at, ended_at`;

export interface Deliveries {
  state?: DeliveryRow['state'] | undefined;
  begins_with?: string | undefined;
  before?: number | undefined;
  limit: number;
}

export async function deliveries(
  db: Reader,
  webhook_id: string,
  { state, begins_with, before, limit }: Deliveries,
): Promise<DeliveryRow[]> {
  const conditions: Sql[] = [sql`webhook_id = ${webhook_id}`];
  if (state !== undefined) conditions.push(sql`state = ${state}`);
  if (begins_with !== undefined) conditions.push(beginsWith(sql`id`, begins_with));
  if (before !== undefined) conditions.push(sql`seq < ${before}`);
  return await db.all<DeliveryRow>(
    sql`select ${deliveryColumns} from webhook_delivery where ${allOf(conditions)} order by seq desc limit ${limit}`,
  );
}

export async function deliveryById(db: Reader, webhook_id: string, id: string): Promise<DeliveryRow | undefined> {
  return await db.one<DeliveryRow>(
    sql`select ${deliveryColumns} from webhook_delivery where webhook_id = ${webhook_id} and id = ${id}`,
  );
}

/** One attempt more, which holds up nothing newer; false for one that is queued already. */
export async function requeue(tx: Tx, id: string): Promise<boolean> {
  const touched = await tx.run(sql`
    update webhook_delivery set state = 'queued', ended_at = null, next_attempt_at = clock_now(), give_up_at = clock_now()
    where id = ${id} and state <> 'queued'`);
  return touched > 0;
}
