// Holds a refresh inside the database, before a row of it is written.
import type { Database } from '../server/src/ground/database/database.ts';
import { sql } from '../server/src/ground/database/sql.ts';

/** Once for each database. A point is the name of the base that waits there. */
export async function buildRefreshGate(db: Database): Promise<void> {
  await db.run(sql`create table refresh_gate (point text not null)`);
  // With its creator's rights: the service may not read a table without a migration. Each look is a statement of its own, so it sees the opening.
  await db.run(sql`
    create function hold_refresh() returns trigger language plpgsql security definer as $$
    begin
      if tg_table_name = 'knowledge_serving' and not exists (select from asset where id::text = to_jsonb(new) ->> 'base_id' and name = tg_argv[0])
      then return new; end if;
      while exists (select from refresh_gate where point = tg_argv[0]) loop perform pg_sleep(0.1); end loop;
      return new;
    end $$`);
  await db.run(sql`
    create trigger refresh_gate before insert on knowledge_document for each row when (new.path = 'writing/b.md')
    execute function hold_refresh('writing')`);
  await db.run(sql`
    create trigger refresh_gate before insert on knowledge_chunk for each row when (new.passage like '%Section 60 of cutting%')
    execute function hold_refresh('cutting')`);
  await db.run(sql`
    create trigger refresh_gate before update on knowledge_serving for each row execute function hold_refresh('serving')`);
  await db.run(sql`
    create trigger refresh_gate before update of state on run for each row
    when (new.state = 'done' and new.input ->> 'ref' = 'knowledge-bases/ending') execute function hold_refresh('ending')`);
}

export async function closeRefreshGate(db: Database, points: readonly string[]): Promise<void> {
  await db.run(sql`insert into refresh_gate select unnest(${points}::text[])`);
}

export async function openRefreshGate(db: Database): Promise<void> {
  await db.run(sql`delete from refresh_gate`);
}

/** How many statements wait. */
export async function atRefreshGate(db: Database): Promise<number> {
  return (await db.all(sql`select pid from pg_stat_activity where wait_event = 'PgSleep'`)).length;
}

/** Ends the waiting statements of killed services, as PostgreSQL ends any statement whose client has gone once it returns. */
export async function endStatementsAtGate(db: Database): Promise<void> {
  await db.run(sql`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`);
}
