import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface AskRow {
  id: string;
  user_id: string;
  server_id: string;
  server_version: string;
  /** Null: the person wants to connect. */
  agent_id: string | null;
  through_ids: string[];
  through: string[];
  writes: string[];
  state: 'waiting' | 'allowed' | 'refused' | 'done';
  asked_at: string;
  expires_at: string;
}

export type NewAsk = Omit<AskRow, 'state' | 'asked_at' | 'expires_at'> & { about: string; hours: number };

const isOpen = sql`state in ('waiting', 'refused') and expires_at > clock_now()`;

export const findOpen = async (db: Reader, { user_id, about }: { user_id: string; about: string }) =>
  await db.one<AskRow>(sql`
    select * from connection_ask where user_id = ${user_id} and about = ${about} and ${isOpen}`);

/** False when it was asked at the same time. */
export async function insert(tx: Tx, ask: NewAsk): Promise<boolean> {
  await tx.run(sql`
    update connection_ask set state = 'done'
    where user_id = ${ask.user_id} and about = ${ask.about} and state in ('waiting', 'refused') and expires_at <= clock_now()`);
  const inserted = await tx.run(sql`
    insert into connection_ask (id, user_id, server_id, server_version, agent_id, through_ids, through, writes, about, expires_at)
    values (${ask.id}, ${ask.user_id}, ${ask.server_id}, ${ask.server_version}, ${ask.agent_id}, ${ask.through_ids}, ${ask.through},
      ${ask.writes}, ${ask.about}, clock_now() + make_interval(hours => ${ask.hours}))
    on conflict do nothing`);
  return inserted === 1;
}

/** Those of the person that wait, the oldest first. */
export const waitingOf = async (db: Reader, user_id: string) =>
  await db.all<AskRow>(sql`
    select * from connection_ask where user_id = ${user_id} and state = 'waiting' and expires_at > clock_now() order by asked_at, id`);

export const countOf = async (db: Reader, { user_id, most }: { user_id: string; most: number }) =>
  (
    await db.one<{ count: number }>(sql`
    select count(*)::int as count from (
      select from connection_ask where user_id = ${user_id} and agent_id is not null and state = 'waiting' and expires_at > clock_now() limit ${most}) w`)
  )?.count ?? 0;

export const waiting = async (db: Reader, { id, user_id }: { id: string; user_id: string }) =>
  await db.one<AskRow>(sql`
    select * from connection_ask where id = ${id} and user_id = ${user_id} and state = 'waiting' and expires_at > clock_now()`);

export const isKnown = async (db: Reader, { id, user_id }: { id: string; user_id: string }) =>
  (await db.one(sql`select from connection_ask where id = ${id} and user_id = ${user_id}`)) !== undefined;

/** False when it was decided before. `hours`: how long it stays so. */
export async function end(
  tx: Tx,
  { id, state, hours }: { id: string; state: Exclude<AskRow['state'], 'waiting'>; hours: number },
): Promise<boolean> {
  const ended = await tx.run(sql`
    update connection_ask set state = ${state}, expires_at = clock_now() + make_interval(hours => ${hours})
    where id = ${id} and state = 'waiting' and expires_at > clock_now()`);
  return ended === 1;
}

export async function forgetOld(tx: Tx, keep_days: number): Promise<void> {
  await tx.run(sql`delete from connection_ask where expires_at < clock_now() - make_interval(days => ${keep_days})`);
}

export const removeOf = async (tx: Tx, user_id: string) =>
  await tx.run(sql`delete from connection_ask where user_id = ${user_id}`);
