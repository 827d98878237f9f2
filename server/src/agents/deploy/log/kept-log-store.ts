import type { Reader, Tx } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { Place } from '../targets/target.ts';

export interface KeptLogRow {
  instance_id: string;
  revision_id: string;
  agent_id: string;
  /** The number of the instance. Null for the output of a rebuilt image, whose `instance_id` is the revision's. */
  n: number | null;
  last_at: string;
  /** The size of its oldest lines, which are gone. */
  cut_bytes: number;
}

export interface PartRow {
  part: number;
  first_at: string;
  last_at: string;
  lines: number;
  bytes: number;
  content: Buffer;
}

/** Replaces what an interrupted attempt kept. */
export async function insertKept(tx: Tx, row: KeptLogRow, parts: readonly PartRow[]): Promise<void> {
  // The row orders those who keep it at once.
  await tx.run(sql`
    insert into kept_log (instance_id, revision_id, agent_id, n, last_at, cut_bytes)
    values (${row.instance_id}, ${row.revision_id}, ${row.agent_id}, ${row.n}, ${row.last_at}, ${row.cut_bytes})
    on conflict (instance_id) do update set last_at = excluded.last_at, cut_bytes = excluded.cut_bytes`);
  await tx.run(sql`delete from kept_log_part where instance_id = ${row.instance_id}`);
  for (const { part, first_at, last_at, lines, bytes, content } of parts)
    await tx.run(sql`
      insert into kept_log_part (instance_id, part, first_at, last_at, lines, bytes, content)
      values (${row.instance_id}, ${part}, ${first_at}, ${last_at}, ${lines}, ${bytes}, ${content})`);
}

/** Removes the logs of all but the newest revisions and those with an instance. */
export async function removeOlderRevisions(tx: Tx, agent_id: string, kept_revisions: number): Promise<void> {
  const isOlder = sql`agent_id = ${agent_id} and not exists (select from instance i where i.revision_id = k.revision_id)
    and revision_id not in (
      select id from revision where agent_id = ${agent_id} order by created_at desc, id desc limit ${kept_revisions})`;
  await tx.run(sql`delete from kept_log k where ${isOlder}`);
  await tx.run(sql`delete from lost_log k where ${isOlder}`);
}

/** Removes the oldest parts above the limit, and counts what it removes. */
export async function cutOldest(tx: Tx, agent_id: string, max_bytes: number): Promise<void> {
  await tx.run(sql`
    with sized as (
      select p.instance_id, p.part, sum(p.bytes) over (order by p.last_at collate "C" desc, p.instance_id, p.part desc) as so_far
      from kept_log_part p join kept_log k using (instance_id) where k.agent_id = ${agent_id}
    ), gone as (
      delete from kept_log_part p using sized s
      where p.instance_id = s.instance_id and p.part = s.part and s.so_far > ${max_bytes} returning p.instance_id, p.bytes
    )
    update kept_log k set cut_bytes = cut_bytes + g.bytes
    from (select instance_id, sum(bytes) as bytes from gone group by instance_id) g where g.instance_id = k.instance_id`);
}

export const keptLogs = async (db: Reader, agent_id: string) =>
  await db.all<KeptLogRow>(sql`select * from kept_log where agent_id = ${agent_id} order by last_at collate "C"`);

export const keptLog = async (db: Reader, instance_id: string) =>
  await db.one<KeptLogRow>(sql`select * from kept_log where instance_id = ${instance_id}`);

export interface LostLogRow {
  instance_id: string;
  /** The id of the notice. */
  id: string;
  revision_id: string;
  agent_id: string;
  n: number;
  /** The container whose output is lost. */
  place: Place;
  reason: string;
  at: string;
}

/** Once for each container of the instance. */
export async function insertLost(tx: Tx, row: Omit<LostLogRow, 'id' | 'at'>): Promise<void> {
  await tx.run(sql`
    insert into lost_log (instance_id, revision_id, agent_id, n, place, reason)
    values (${row.instance_id}, ${row.revision_id}, ${row.agent_id}, ${row.n}, ${JSON.stringify(row.place)}, ${row.reason})
    on conflict (instance_id) do update
      set id = gen_random_uuid(), place = excluded.place, reason = excluded.reason, at = clock_now()
      where lost_log.place <> excluded.place`);
}

export const lostLogs = async (db: Reader, agent_id: string) =>
  await db.all<LostLogRow>(sql`select * from lost_log where agent_id = ${agent_id} order by at`);

export async function isLost(db: Reader, { instance_id, place }: Pick<LostLogRow, 'instance_id' | 'place'>) {
  const row = await db.one(sql`
    select from lost_log where instance_id = ${instance_id} and place = ${JSON.stringify(place)}::jsonb`);
  return row !== undefined;
}

/** Oldest first. */
export const partsOf = async (db: Reader, instance_id: string) =>
  await db.all<Omit<PartRow, 'content'>>(sql`
    select part, first_at, last_at, lines, bytes from kept_log_part where instance_id = ${instance_id} order by part`);

/** Undefined once it is cut. */
export async function partContent(db: Reader, instance_id: string, part: number): Promise<Buffer | undefined> {
  const row = await db.one<{ content: Buffer }>(sql`
    select content from kept_log_part where instance_id = ${instance_id} and part = ${part}`);
  return row?.content;
}
