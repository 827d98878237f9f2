import { expect } from 'vitest';
import type { Database } from '../server/src/ground/database/database.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { databaseOf } from './database-of.ts';
import type { Installation } from './installation.ts';

/**
 * Holds the service before one record: after the work of a step and before `<step> done`, the worst moment for a crash, or before the next
 * `<step> running`. `run done` is the end of a run. `place starting` is a new container of a known instance, `url serving` its first address.
 * It works inside the database: the statement does not return. The gate continues after a restart of the service and its database.
 */
export async function setGate(gantry: Installation, record: string | undefined): Promise<void> {
  const db = await databaseOf(gantry);
  if ((await db.one(sql`select from pg_tables where tablename = 'step_gate'`)) === undefined) await build(db);
  await db.transaction(async (tx) => {
    await tx.run(sql`delete from step_gate`);
    if (record !== undefined) await tx.run(sql`insert into step_gate values (${record})`);
  });
  await db.close();
}

// Only once: creating the triggers waits for every statement at the gate.
async function build(db: Database): Promise<void> {
  await db.run(sql`create table step_gate (record text not null)`);
  // With its creator's rights: the service may not read a table without a migration.
  await db.run(sql`
    create function hold_at_gate() returns trigger language plpgsql security definer as $$
    begin
      if exists (select from step_gate where record = coalesce(tg_argv[0], to_jsonb(new) ->> 'name') || ' ' || new.state)
      then perform pg_sleep(50); end if;
      return new;
    end $$`);
  await db.run(
    sql`create trigger step_gate before insert or update on run_step for each row execute function hold_at_gate()`,
  );
  await db.run(sql`
    create trigger step_gate before update of state on run for each row when (old.state <> new.state)
    execute function hold_at_gate('run')`);
  await db.run(sql`
    create trigger step_gate before update of place on instance for each row when (old.place is null)
    execute function hold_at_gate('place')`);
  await db.run(sql`
    create trigger step_gate_url before update of url on instance for each row when (old.url is null and new.url is not null)
    execute function hold_at_gate('url')`);
}

/** Waits until the service is at the gate. */
export async function atGate(gantry: Installation): Promise<void> {
  const db = await databaseOf(gantry);
  const held = async () => (await db.all(sql`select pid from pg_stat_activity where wait_event = 'PgSleep'`)).length;
  await expect.poll(held, { timeout: 90_000, interval: 20 }).toBe(1);
  await db.close();
}
