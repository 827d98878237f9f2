// Shares of threads. One that has ended is as good as none: each question asks for the time.
import type { Reader, Tx } from '../../../ground/database/database.ts';
import { allOf, sql, type Sql } from '../../../ground/database/sql.ts';

export interface SharePrincipal {
  principal_type: 'user' | 'team';
  principal_id: string;
}

export interface ShareRow {
  id: string;
  thread_id: string;
  principal_type: 'user' | 'team';
  /** An e-mail address or a team name; the id of one that is gone. */
  principal: string;
  ends_at: string;
  created_at: string;
}

export interface SharedRow extends ShareRow {
  /** Of the thread: an e-mail address, or a reference. */
  owner: string;
}

const name = sql`coalesce(
  (select u.email from app_user u where s.principal_type = 'user' and u.id = s.principal_id and u.removed_at is null),
  (select m.name from team m where s.principal_type = 'team' and m.id = s.principal_id))`;
const columns = sql`s.id, s.thread_id, s.principal_type, coalesce(${name}, s.principal_id::text) as principal, s.ends_at, s.created_at`;
const owner = sql`coalesce((select i.label from identity i where i.id = t.owner_id), t.owner_id::text)`;
/** Neither its time is over, nor is the person or the team gone. */
const isOpen = sql`s.ends_at > clock_now() and ${name} is not null`;

/** Another share with the same principal gets the new end. */
export async function put(
  tx: Tx,
  { thread_id, days, principal_type, principal_id }: SharePrincipal & { thread_id: string; days: number },
): Promise<string> {
  const row = await tx.one<{ id: string }>(sql`
    insert into thread_share (thread_id, principal_type, principal_id, ends_at)
    values (${thread_id}, ${principal_type}, ${principal_id}, date_trunc('milliseconds', clock_now()) + make_interval(days => ${days}))
    on conflict (thread_id, principal_type, principal_id) do update set ends_at = excluded.ends_at, created_at = excluded.created_at
    returning id`);
  if (row === undefined) throw new Error('a share was not stored');
  return row.id;
}

export const find = async (db: Reader, { id, thread_id }: { id: string; thread_id: string }) =>
  await db.one<ShareRow>(
    sql`select ${columns} from thread_share s where s.id = ${id} and s.thread_id = ${thread_id} and ${isOpen}`,
  );

interface PageOf {
  /** The time and the id of the last row of the page before. */
  before: [string, string] | undefined;
  limit: number;
}

export const listOfThread = async (db: Reader, { thread_id, before, limit }: PageOf & { thread_id: string }) =>
  await db.all<ShareRow>(sql`
    select ${columns} from thread_share s where ${allOf([sql`s.thread_id = ${thread_id}`, isOpen, ...afterPage(before)])}
    order by s.created_at desc, s.id desc limit ${limit}`);

export interface Reading {
  agent_id: string;
  user_id: string;
  team_ids: readonly string[];
}

export const listFor = async (db: Reader, { before, limit, ...reading }: PageOf & Reading) =>
  await db.all<SharedRow>(sql`
    select ${columns}, ${owner} as owner from thread_share s join thread t on t.id = s.thread_id
    where ${allOf([whereFor(reading), ...afterPage(before)])} order by s.created_at desc, s.id desc limit ${limit}`);

export const findFor = async (db: Reader, { id, ...reading }: { id: string } & Reading) =>
  await db.one<SharedRow>(sql`
    select ${columns}, ${owner} as owner from thread_share s join thread t on t.id = s.thread_id
    where s.id = ${id} and ${whereFor(reading)}`);

/** False when it is gone. */
export async function remove(tx: Tx, id: string): Promise<boolean> {
  return (await tx.run(sql`delete from thread_share where id = ${id}`)) > 0;
}

/** One that was given more time meanwhile stays. */
export async function removeEnded(tx: Tx, id: string): Promise<boolean> {
  return (await tx.run(sql`delete from thread_share where id = ${id} and ends_at <= clock_now()`)) > 0;
}

export const listEnded = async (db: Reader) =>
  await db.all<SharedRow & { agent_id: string }>(sql`
    select ${columns}, ${owner} as owner, t.agent_id from thread_share s join thread t on t.id = s.thread_id
    where s.ends_at <= clock_now() order by s.ends_at limit 1000`);

const whereFor = ({ agent_id, user_id, team_ids }: Reading): Sql => sql`t.agent_id = ${agent_id} and ${isOpen} and (
  (s.principal_type = 'user' and s.principal_id = ${user_id}) or (s.principal_type = 'team' and s.principal_id = any(${team_ids})))`;

const afterPage = (before: [string, string] | undefined): Sql[] =>
  before === undefined ? [] : [sql`(s.created_at, s.id) < (${before[0]}::timestamptz, ${before[1]}::uuid)`];
