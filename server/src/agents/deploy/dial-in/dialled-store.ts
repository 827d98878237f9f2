import type { Reader, Tx } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { away_ms } from './dialled.ts';

const away = sql`${away_ms}::float8 * interval '1 ms'`;

export interface Present {
  instance_id: string;
  process: string;
}

/** What the process at the door has now. Rows of instances that are removed meanwhile are left out. */
export async function tell(
  tx: Tx,
  { id, address, present }: { id: string; address: string; present: readonly Present[] },
): Promise<void> {
  await tx.run(sql`
    insert into door_process (id, address) values (${id}, ${address})
    on conflict (id) do update set seen_at = clock_now()`);
  await tx.run(sql`
    insert into dialled (instance_id, door_process, process_hash)
    select i.id, ${id}, p.process_hash
    from unnest(${present.map((one) => one.instance_id)}::uuid[], ${present.map((one) => one.process)}::text[]) p (id, process_hash)
      join instance i on i.id = p.id
    on conflict (instance_id, door_process) do update set process_hash = excluded.process_hash, seen_at = clock_now()`);
}

export const leave = async (tx: Tx, id: string) => void (await tx.run(sql`delete from door_process where id = ${id}`));

export const removeDead = async (tx: Tx) =>
  void (await tx.run(sql`delete from door_process where seen_at < clock_now() - interval '1 hour'`));

export const forgetInstance = async (tx: Tx, instance_id: string) =>
  void (await tx.run(sql`delete from dialled where instance_id = ${instance_id}`));

/** Which processes have connections of the instance's present process. */
export const holders = async (db: Reader, instance_id: string) =>
  await db.all<{ id: string; address: string; process: string }>(sql`
    select d.door_process as id, p.address, d.process_hash as process
    from dialled d join door_process p on p.id = d.door_process join instance i on i.id = d.instance_id
    where d.instance_id = ${instance_id} and (i.process_hash is null or i.process_hash = d.process_hash)
      and d.seen_at > clock_now() - ${away} and p.seen_at > clock_now() - ${away}
    order by random()`);

/** `is_unknown`: no process has been at the door long enough to know. */
export async function lookFor(
  db: Reader,
  { instance_id, process }: Present,
): Promise<{ is_here: boolean; is_unknown: boolean }> {
  const row = await db.one<{ is_here: boolean; is_unknown: boolean }>(sql`
    select
      exists (
        select from dialled
        where instance_id = ${instance_id} and process_hash = ${process} and seen_at > clock_now() - ${away}) as is_here,
      not exists (
        select from door_process where seen_at > clock_now() - ${away} and opened_at < clock_now() - ${away}) as is_unknown`);
  return row ?? { is_here: false, is_unknown: true };
}

export async function seenInstances(db: Reader): Promise<string[]> {
  const rows = await db.all<{ instance_id: string }>(sql`
    select distinct instance_id from dialled where seen_at > clock_now() - ${away}`);
  return rows.map(({ instance_id }) => instance_id);
}

export async function hasDoor(db: Reader): Promise<boolean> {
  return (await db.one(sql`select from door_process where seen_at > clock_now() - ${away} limit 1`)) !== undefined;
}
