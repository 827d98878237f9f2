import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

/** The digest of the first call with this id. */
export async function holdDigest(db: Tx & Reader, run_id: string, digest: string): Promise<string | undefined> {
  const row = await db.one<{ digest: string }>(sql`
    insert into call_key (run_id, digest) values (${run_id}, ${digest})
    on conflict (run_id) do update set run_id = excluded.run_id returning digest`);
  return row?.digest;
}

export async function forgetOld(db: Tx, keep_days: number): Promise<void> {
  await db.run(sql`delete from call_key where created_at < clock_now() - make_interval(days => ${keep_days})`);
}
