// Which refreshes there were, and which are due. The runs themselves belong to ground/runs.
import type { Reader } from '../../ground/database/database.ts';
import { allOf, sql } from '../../ground/database/sql.ts';

const byNumber = sql`string_to_array(v.version, '.')::int[]`;
const refreshes = (asset: ReturnType<typeof sql>) =>
  sql`from run r where r.kind = 'refresh' and r.mutex = 'refresh:' || ${asset}::text`;
const hours = sql`(c.config ->> 'refresh_hours')::int`;
const next = sql`coalesce((select max(r.created_at) ${refreshes(sql`a.id`)}), a.created_at) + make_interval(hours => ${hours})`;
const withNewest = sql`asset a
  join lateral (select v.digest from version v where v.asset_id = a.id order by ${byNumber} desc limit 1) newest on true
  join content c on c.digest = newest.digest`;

/**
 * Bases and indexes whose newest config says `refresh_hours`, when so many hours have passed since their last refresh began, or since they exist. However many
 * times that was, each is one row. None while a refresh is open.
 */
export const due = async (db: Reader, only?: string) =>
  await db.all<{ id: string }>(sql`
    select a.id from ${withNewest} where ${allOf([
      sql`a.kind in ('knowledge-base', 'rag-index') and ${hours} is not null`,
      ...(only === undefined ? [] : [sql`a.id = ${only}`]),
      sql`not exists (select ${refreshes(sql`a.id`)} and r.ended_at is null)`,
      sql`${next} <= clock_now()`,
    ])} order by a.id`);

/** Null without a schedule. */
export const scheduleOf = async (db: Reader, asset_id: string) =>
  await db.one<{ refresh_hours: number | null; next_at: string | null }>(sql`
    select ${hours} as refresh_hours, case when ${hours} is not null then ${next} end as next_at from ${withNewest} where a.id = ${asset_id}`);

/** True while a refresh is stored that has not begun: it will read what there is then. */
export const waits = async (db: Reader, asset_id: string) =>
  (await db.one(sql`select ${refreshes(sql`${asset_id}`)} and r.ended_at is null and r.started_at is null limit 1`)) !==
  undefined;

/** The run that began last. */
export const lastOf = async (db: Reader, asset_id: string) =>
  await db.one<{ id: string }>(sql`select r.id ${refreshes(sql`${asset_id}`)} order by r.created_at desc limit 1`);

/** How the last refresh ended that began before this one. Undefined for the first. */
export const endBefore = async (db: Reader, asset_id: string, run_id: string) =>
  await db.one<{ state: string }>(sql`
    select r.state ${refreshes(sql`${asset_id}`)} and r.id <> ${run_id} and r.ended_at is not null order by r.created_at desc limit 1`);
