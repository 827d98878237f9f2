// A snapshot has one commit of a repository. An attempt that goes on after a kill may find another one: then all is read from the start.
import type { Database } from '../../../ground/database/database.ts';
import * as snapshots from '../snapshot-store.ts';

class CommitMoved extends Error {}

/** For `onCommit` of a source. */
export async function requireCommit(db: Database, snapshot_id: string, commit: string): Promise<void> {
  const isSame = await db.transaction(async (tx) => await snapshots.atCommit(tx, snapshot_id, commit));
  if (!isSame) throw new CommitMoved('the repository has moved on since the first attempt');
}

export async function readOneCommit(db: Database, snapshot_id: string, read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof CommitMoved)) throw error;
    await db.transaction(async (tx) => await snapshots.empty(tx, snapshot_id));
    await read();
  }
}
