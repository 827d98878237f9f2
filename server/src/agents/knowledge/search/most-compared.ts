import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { hasPgvector } from '../../../ground/database/pgvector.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import * as store from '../chunk-store.ts';

/** Chunks of one base, without pgvector: what a thread of the service compares in some milliseconds, and keeps in memory. */
export const most_compared = 20_000;

/** Before anything is paid. Throws `too_many_chunks`. */
export async function requireComparable(db: Reader, index: AssetRecord, part: store.Part): Promise<void> {
  const count = await store.countChunks(db, part);
  if (count <= most_compared || (await hasPgvector(db))) return;
  throw new Problem('too_many_chunks', {
    detail: `${index.ref} has ${count} chunks of one knowledge base. Without pgvector in the database, at most ${most_compared} are searched by meaning.`,
  });
}
