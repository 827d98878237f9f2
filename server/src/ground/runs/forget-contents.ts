import type { Database, Tx } from '../database/database.ts';
import * as store from './store.ts';

/**
 * Forgets what the runs of a kind were given and what they gave: the caller's members of `input`, `text` and `output` of steps and results,
 * events, and the words of failures. Who began a run, when, and how it ended stays.
 */
export async function forgetContents(db: Database, kind: string, keep_days: number): Promise<void> {
  await db.transaction(async (tx) => await store.forgetContents(tx, kind, { keep_days }));
}

/** The same for the ended runs that one person began. The number of runs. */
export const forgetContentsOf = async (tx: Tx, kind: string, actor_id: string): Promise<number> =>
  await store.forgetContents(tx, kind, { actor_id });
