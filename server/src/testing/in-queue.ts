import { expect } from 'vitest';
import type { Database } from '../ground/database/database.ts';
import { sql, type Sql } from '../ground/database/sql.ts';

/**
 * The callers wait in turn for rows that `held` locks. After its release they get them in this order. A lock `for no key update` keeps work
 * in the background, which only refers to a row, out of the queue.
 */
export async function inQueue<T>(
  db: Database,
  held: Sql,
  ...waiting: readonly (() => Promise<T>)[]
): Promise<PromiseSettledResult<T>[]> {
  const isHeld = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = db.transaction(async (tx) => {
    await tx.run(held);
    isHeld.resolve();
    await release.promise;
  });
  await isHeld.promise;
  const answers: Promise<T>[] = [];
  for (const next of waiting) {
    const answer = next();
    answer.catch(() => {}); // settled below
    answers.push(answer);
    await expect.poll(async () => await waitingOn(db)).toHaveLength(answers.length);
  }
  release.resolve();
  await holding;
  return await Promise.allSettled(answers);
}

async function waitingOn(db: Database): Promise<string[]> {
  const rows = await db.all<{ query: string }>(
    sql`select query from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rows.map(({ query }) => query);
}
