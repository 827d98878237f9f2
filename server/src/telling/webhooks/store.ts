import type { deliveryStates } from '@gantry/contract/telling/webhooks.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import { endFollowing, startFollowing } from '../../governance/audit/follow.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { allOf, beginsWith, sql, type Sql } from '../../ground/database/sql.ts';

/** The position of a webhook in the governance chain. */
export const cursorOf = (id: string): string => `webhook ${id}`;

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

// The previous secret is null after its grace.
const secrets = sql`w.secret, case when w.previous_until > clock_now() then w.previous_secret end as previous_secret`;
const columns = sql`w.id, w.name, w.url, w.events, ${secrets}, w.created_by, w.created_at, c.seq as at_seq,
  case when w.previous_until > clock_now() then w.previous_until end as previous_until,
  (select j.problem from webhook_delivery d join job j on j.id = d.id where d.webhook_id = w.id order by d.seq desc limit 1) as last_problem,
  (select count(*) from webhook_delivery d join job j on j.id = d.id where d.webhook_id = w.id and ${is('dead')}) as dead`;
const tables = sql`webhook w join audit_cursor c on c.name = ${cursorOf('')} || w.id`;

export async function listed(db: Reader, { after, limit }: { after: string; limit: number }): Promise<WebhookRow[]> {
  return await db.all<WebhookRow>(
    sql`select ${columns} from ${tables} where w.name > ${after} order by w.name limit ${limit}`,
  );
}

export async function byName(db: Reader, name: string): Promise<WebhookRow | undefined> {
  return await db.one<WebhookRow>(sql`select ${columns} from ${tables} where w.name = ${name}`);
}

export interface NewWebhook {
  name: string;
  url: string;
  events: readonly string[];
  secret: Buffer;
  created_by: string;
}

/** It begins at the present end of the chain. */
export async function insert(tx: GovernedTx, { name, url, events, secret, created_by }: NewWebhook): Promise<void> {
  const [row] = await tx.write(
    'webhook',
    sql`insert into webhook (name, url, events, secret, created_by)
        values (${name}, ${url}, ${events}, ${secret}, ${created_by}) returning id`,
  );
  if (row === undefined) throw new Error('insert returned no row');
  await startFollowing(tx, cursorOf(row.id), 'governance');
}

/** The present secret becomes the previous one; without a grace there is no previous one. */
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
  await endFollowing(tx, cursorOf(id));
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

const deliveryColumns = sql`d.id, d.webhook_id, d.seq, d.event, case when j.state = 'queued' then 'queued' when ${is('dead')} then 'dead' else 'delivered' end as state,
  j.attempts, j.due_at as next_attempt_at, d.status, j.problem, j.created_at, j.ended_at`;
const deliveryTables = sql`webhook_delivery d join job j on j.id = d.id`;

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
  const conditions: Sql[] = [sql`d.webhook_id = ${webhook_id}`];
  if (state !== undefined) conditions.push(is(state));
  if (begins_with !== undefined) conditions.push(beginsWith(sql`d.id`, begins_with));
  if (before !== undefined) conditions.push(sql`d.seq < ${before}`);
  return await db.all<DeliveryRow>(
    sql`select ${deliveryColumns} from ${deliveryTables} where ${allOf(conditions)} order by d.seq desc limit ${limit}`,
  );
}

export async function deliveryById(db: Reader, webhook_id: string, id: string): Promise<DeliveryRow | undefined> {
  return await db.one<DeliveryRow>(
    sql`select ${deliveryColumns} from ${deliveryTables} where d.webhook_id = ${webhook_id} and d.id = ${id}`,
  );
}

/** Webhooks with due entries and no open delivery; all, or one. */
export async function readyForNext(db: Reader, id?: string): Promise<Pick<WebhookRow, 'id' | 'events'>[]> {
  return await db.all<Pick<WebhookRow, 'id' | 'events'>>(sql`
    select w.id, w.events from ${tables} join audit.head h on h.chain = c.chain
    where c.seq < h.seq and w.id = coalesce(${id ?? null}, w.id)
      and (select j.state from ${deliveryTables} where d.webhook_id = w.id order by d.seq desc limit 1) is distinct from 'queued'`);
}

export async function insertDelivery(
  tx: Tx,
  { id, webhook_id, seq, event }: Pick<DeliveryRow, 'id' | 'webhook_id' | 'seq' | 'event'>,
): Promise<void> {
  await tx.run(
    sql`insert into webhook_delivery (id, webhook_id, seq, event) values (${id}, ${webhook_id}, ${seq}, ${event})`,
  );
}

/** The recipient of a delivery; undefined when the webhook is gone. */
export async function recipientOf(
  db: Reader,
  delivery_id: string,
): Promise<(Pick<WebhookRow, 'url' | 'secret' | 'previous_secret'> & Pick<DeliveryRow, 'seq'>) | undefined> {
  return await db.one(sql`
    select w.url, ${secrets}, d.seq from webhook_delivery d join webhook w on w.id = d.webhook_id where d.id = ${delivery_id}`);
}

/** The last answer of the address. */
export async function setStatus(tx: Tx, id: string, status: number | null): Promise<void> {
  await tx.run(sql`update webhook_delivery set status = ${status} where id = ${id}`);
}

function is(state: DeliveryRow['state']): Sql {
  const states = { queued: ['queued'], delivered: ['done'], dead: ['failed', 'dropped'] };
  return sql`j.state = any(${states[state]}::text[])`;
}
