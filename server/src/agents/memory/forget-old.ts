import type { Database } from '../../ground/database/database.ts';
import { settings } from '../../people/principals/find.ts';
import * as itemStore from './item-store.ts';
import { endShares } from './shares/end-shares.ts';
import * as store from './thread-store.ts';

/** Threads and items that were not used for the time of their agent or of the organisation, and items and shares past their own time. */
export async function forgetOldMemory(db: Database): Promise<void> {
  const { memory_kept_days } = await settings(db);
  await db.transaction(async (tx) => await store.forgetOld(tx, memory_kept_days));
  await endShares(db);
  await itemStore.forgetOld(db, memory_kept_days);
}
