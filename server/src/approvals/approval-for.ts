import type { Reader } from '../database/database.ts';
import * as store from './store.ts';

/** The approval that opens exactly this content for this target; undefined when there is none, whatever else of the version was approved. */
export async function approvalFor(db: Reader, content: store.Content): Promise<{ id: string } | undefined> {
  const row = await store.newest(db, content, 'approved');
  return row && { id: row.id };
}

/** Of these versions, those whose present content is approved for some target. */
export const approvedVersions = store.approvedOf;

/** For the one who removes an asset: nothing of it waits for a decision any more. */
export { closePending } from './store.ts';
