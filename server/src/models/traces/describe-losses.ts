import type { Reader } from '../../ground/database/database.ts';
import * as store from './store.ts';

/** The spans of today and yesterday that were not stored, as `3 storage_full, 1 refused`. Undefined without any. */
export async function describeLosses(db: Reader): Promise<string | undefined> {
  const losses = await store.recentLosses(db);
  return losses.length === 0 ? undefined : losses.map(({ reason, spans }) => `${spans} ${reason}`).join(', ');
}
