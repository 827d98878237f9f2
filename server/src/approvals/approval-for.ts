import type { Reader } from '../database/database.ts';
import * as store from './store.ts';

/** Of a request for the approval of an asset without a container. */
export const no_target = 'none';

/** The approval of exactly this content and target, if any. */
export async function approvalFor(db: Reader, content: store.Content): Promise<{ id: string } | undefined> {
  const row = await store.newest(db, content, 'approved');
  return row && { id: row.id };
}

/** Says that the newest decision about exactly this content and target is a revoked approval. For those who may read the request. */
export async function describeRevocation(db: Reader, content: store.Content): Promise<string | undefined> {
  const row = await store.newest(db, content, 'rejected');
  if (row?.closed_reason !== 'revoked') return undefined;
  return `Its approval was revoked at ${row.decided_at} by ${row.decider ?? 'a removed user'}: ${row.reason ?? ''}`;
}

/** The versions whose current content is approved for a target. */
export const approvedVersions = store.approvedOf;

/** Closes the pending requests of a removed asset. */
export { closePending } from './store.ts';
