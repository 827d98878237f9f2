import type { Database } from '../../ground/database/database.ts';
import * as store from './store.ts';

const keep_days = 7;

/** The records of runs whose calls are gone. */
export async function forgetOldRuns(db: Database): Promise<void> {
  await store.forgetOldRuns(db, keep_days);
}
