// What a run has read of tools: private data, and text that others wrote. It holds for the first run and all runs below it, because an agent passes on what it has read.
import type { Database, Reader } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';

export interface Exposure {
  private_data: boolean;
  outside_text: boolean;
}

/** `root_run_id` is the first run. */
export async function exposureOf(db: Reader, root_run_id: string): Promise<Exposure> {
  const row = await db.one<Exposure>(
    sql`select private_data, outside_text from run_exposure where root_run_id = ${root_run_id}`,
  );
  return row ?? { private_data: false, outside_text: false };
}

/** A statement. What a run has read it never forgets. */
export const exposing = (root_run_id: string, { private_data, outside_text }: Exposure): Sql => sql`
  insert into run_exposure as has (root_run_id, private_data, outside_text)
  select ${root_run_id}::uuid, ${private_data}::boolean, ${outside_text}::boolean where ${private_data}::boolean or ${outside_text}::boolean
  on conflict (root_run_id) do update set private_data = has.private_data or excluded.private_data,
    outside_text = has.outside_text or excluded.outside_text
  where (excluded.private_data and not has.private_data) or (excluded.outside_text and not has.outside_text)`;

/** Runs last for a day at most, and their threads have it by then. */
export async function forgetOldExposures(db: Database, keep_days: number): Promise<void> {
  await db.run(sql`delete from run_exposure where at < clock_now() - make_interval(days => ${keep_days})`);
}
