import { idempotency_key_hours } from '@gantry/contract/idempotency.ts';
import type { Database, Reader, Tx } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { forget as forgetOld, isOver, type Retention } from '../../../ground/queue/forget.ts';
import { fromNow, isFree } from '../../../ground/queue/lease.ts';

const retention: Retention = {
  table: sql`idempotency_key`,
  since: sql`created_at`,
  keep_hours: idempotency_key_hours,
};

export interface Attempt {
  id: string;
  owner_id: string;
  key: string;
}

export interface KeyedRequest {
  /** As `POST /path`. */
  endpoint: string;
  digest: string;
}

type Row = KeyedRequest & {
  /** Its request may still be running. */
  held: boolean;
} & ({ state: 'begun' | 'carried_out' } | { state: 'answered'; status: number; reply: string });

/** False when the key is taken. A row that is too old does not take it, nor an attempt without a change whose lease ran out. */
export async function begin(
  db: Database,
  { id, owner_id, key }: Attempt,
  { endpoint, digest }: KeyedRequest,
  lease_seconds: number,
): Promise<boolean> {
  const lease_until = fromNow(1000 * lease_seconds);
  // Two statements: a conflict that updates locks the row even without a change, which costs a write for every repeat.
  const inserted = await db.run(sql`
    insert into idempotency_key (owner_id, key, endpoint, digest, attempt, lease_until)
    values (${owner_id}, ${key}, ${endpoint}, ${digest}, ${id}, ${lease_until}) on conflict do nothing`);
  if (inserted === 1) return true;
  const taken_over = await db.run(sql`
    update idempotency_key set endpoint = ${endpoint}, digest = ${digest}, attempt = ${id}, lease_until = ${lease_until},
      state = 'begun', status = null, reply = null, created_at = clock_now()
    where owner_id = ${owner_id} and key = ${key}
      and (${isOver(retention)} or (state = 'begun' and ${isFree}))`);
  return taken_over === 1;
}

export async function find(db: Reader, { owner_id, key }: Attempt): Promise<Row | undefined> {
  return await db.one<Row>(sql`
    select endpoint, digest, state, status, reply, lease_until > clock_now() as held from idempotency_key
    where owner_id = ${owner_id} and key = ${key}`);
}

/** False when another attempt has taken the row over. It stays locked until the transaction ends. */
export async function carriedOut(tx: Tx, attempt: Attempt): Promise<boolean> {
  return (await tx.run(sql`update idempotency_key set state = 'carried_out' where ${its(attempt)}`)) === 1;
}

export async function answered(db: Database, attempt: Attempt, status: number, reply: string): Promise<void> {
  await db.run(
    sql`update idempotency_key set state = 'answered', status = ${status}, reply = ${reply} where ${its(attempt)}`,
  );
}

/** Deletes the row, unless it has changed something. */
export async function forget(db: Database, attempt: Attempt): Promise<void> {
  await db.run(sql`delete from idempotency_key where ${its(attempt)} and state = 'begun'`);
}

/** Drops the rows that are too old, a few at a time: each new key removes some. */
export async function removeOld(db: Database): Promise<void> {
  await forgetOld(db, retention, 100);
}

function its({ id, owner_id, key }: Attempt) {
  return sql`owner_id = ${owner_id} and key = ${key} and attempt = ${id}`;
}

export const deleteRepliesOf = async (tx: Tx, owner_id: string): Promise<number> =>
  await tx.run(sql`delete from idempotency_key where owner_id = ${owner_id} and state = 'answered'`);
