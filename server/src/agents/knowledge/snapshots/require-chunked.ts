import { Problem } from '@gantry/contract/problems.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { unchunked } from '../chunk-store.ts';
import type { SearchedPart } from '../searched.ts';

interface Chunked {
  part: SearchedPart;
  /** The RAG index, or the base itself. */
  by: AssetRecord;
  /** What the caller wants of the snapshot. */
  to: 'serve' | 'test';
}

/** Throws `index_behind`: an index whose settings have changed since has no chunks of an older snapshot. */
export async function requireChunked(db: Reader, { part, by, to }: Chunked): Promise<void> {
  const behind = await unchunked(db, part);
  if (behind.length === 0) return;
  throw new Problem('index_behind', {
    detail: `${by.ref} has no chunks of ${behind.length} documents of snapshot ${part.snapshot.number}.`,
    hint: `Refresh the base, and ${to} that: svc kb refresh ${part.base.name}`,
  });
}
