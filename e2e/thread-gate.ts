import { expect } from 'vitest';
import type { Database } from '../server/src/ground/database/database.ts';
import { sql } from '../server/src/ground/database/sql.ts';

/** Of a call on a thread, in their order. A step is the checkpoint after it; the input is step 0. The service is about to write it. */
export type Moment = 'turn' | 'step 0' | 'step 1' | 'step 2' | 'step 3' | 'end' | 'answer';

/** Once for each database: the gate is closed at no moment. */
export async function buildThreadGate(db: Database): Promise<void> {
  await db.run(sql`create table thread_gate (moment text not null)`);
  // With its creator's rights: the service may not read a table without a migration. Each look is a statement of its own, so it sees the opening.
  await db.run(sql`
    create function hold_call() returns trigger language plpgsql security definer as $$
    begin
      while exists (select from thread_gate where moment = coalesce(tg_argv[0], 'step ' || (to_jsonb(new) ->> 'step'))) loop
        perform pg_sleep(0.2);
      end loop;
      return new;
    end $$`);
  await db.run(sql`
    create trigger thread_gate before insert on thread_turn for each row execute function hold_call('turn')`);
  await db.run(sql`create trigger thread_gate before insert on thread_state for each row execute function hold_call()`);
  await db.run(sql`
    create trigger thread_gate before update of next_nodes on thread for each row when (new.next_nodes = '{}') execute function hold_call('end')`);
  await db.run(sql`
    create trigger thread_gate before update of state on invocation for each row when (new.state = 'ended')
    execute function hold_call('answer')`);
}

export async function closeThreadGate(db: Database, moment: Moment): Promise<void> {
  await db.run(sql`insert into thread_gate values (${moment})`);
}

export async function openThreadGate(db: Database): Promise<void> {
  await db.run(sql`delete from thread_gate`);
}

/** Waits until a statement of the service is at the gate. */
export async function atThreadGate(db: Database): Promise<void> {
  const held = async () =>
    (await db.all(sql`select pid from pg_stat_activity where wait_event = 'PgSleep'`)).length > 0;
  await expect.poll(held, { timeout: 90_000, interval: 20 }).toBe(true);
}
