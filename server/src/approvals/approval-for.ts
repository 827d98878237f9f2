import type { Reader } from '../database/database.ts';
import * as store from './store.ts';

/** Of a request for the approval of an asset without a container. */
export const no_target = 'none';

/** The approval of exactly this content and target, if any. */
export async function approvalFor(db: Reader, content: store.Content): Promise<{ id: string } | undefined> {
  const row = await store.newest(db, content, 'approved');
  return row && { id: row.id };
}

/** The versions whose current content is approved for a target. */
export const approvedVersions = store.approvedOf;

/** Closes the pending requests of a removed asset. */
export { closePending } from './store.ts';
