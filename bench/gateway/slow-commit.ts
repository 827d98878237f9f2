import type { Database } from '../../server/src/ground/database/database.ts';

// A deferred trigger runs in the commit, after the last statement and before the locks end, as the wait for a slow disk does. It waits once in a
// transaction: the first changed account sets the mark.
const begin = `
  create function bench_slow_commit() returns trigger language plpgsql security definer as $$
  begin
    if current_setting('bench.waited', true) is distinct from pg_current_xact_id()::text then
      perform set_config('bench.waited', pg_current_xact_id()::text, true);
      perform pg_sleep(0.005);
    end if;
    return null;
  end $$;
  create constraint trigger bench_slow_commit after insert or update on account deferrable initially deferred
    for each row execute function bench_slow_commit()`;
const end = 'drop trigger bench_slow_commit on account; drop function bench_slow_commit()';

/** Each commit of the ledger takes 5 ms more meanwhile. */
export async function withSlowCommit<T>(db: Database, work: () => Promise<T>): Promise<T> {
  await db.run({ strings: [begin], values: [] });
  try {
    return await work();
  } finally {
    await db.run({ strings: [end], values: [] });
  }
}
