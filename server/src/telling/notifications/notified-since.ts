import type { Reader } from '../../ground/database/database.ts';
import * as store from './store.ts';

/** The notifications of entries after this one, and the last entry that has its notifications. Without `after`, no notifications. */
export async function notifiedSince(
  db: Reader,
  after: number | undefined,
): Promise<{ up_to: number; notifications: { id: string; user_id: string }[] }> {
  const rows = await store.notifiedSince(db, after ?? Number.MAX_SAFE_INTEGER);
  return {
    up_to: rows[0]?.up_to ?? 0,
    notifications: rows.flatMap(({ id, user_id }) => (id === null || user_id === null ? [] : [{ id, user_id }])),
  };
}
