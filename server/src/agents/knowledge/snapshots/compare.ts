import { createHash } from 'node:crypto';
import type { Reader } from '../../../ground/database/database.ts';
import { documentsOf, type DocumentRow } from '../document-store.ts';
import * as store from '../snapshot-store.ts';

interface Compared {
  /** Of all its documents. */
  digest: string;
  /** The number of the snapshot that serves; null: none does. */
  before: number | null;
  /** Paths. */
  added: string[];
  changed: string[];
  removed: string[];
}

/** The documents of a snapshot beside those of the one that serves. */
export async function compareWithServing(db: Reader, base_id: string, snapshot_id: string): Promise<Compared> {
  const [serving] = await store.servingOf(db, [base_id]);
  const after = await documentsOf(db, snapshot_id);
  const before = serving === undefined ? [] : await documentsOf(db, serving.id);
  return { digest: digestOfDocuments(after), before: serving?.number ?? null, ...compare(before, after) };
}

/** Paths, in their order. */
export function compare(
  before: readonly DocumentRow[],
  after: readonly DocumentRow[],
): Pick<Compared, 'added' | 'changed' | 'removed'> {
  const was = new Map(before.map((one) => [one.path, one]));
  const is = new Set(after.map(({ path }) => path));
  return {
    added: after.filter(({ path }) => !was.has(path)).map(({ path }) => path),
    changed: after.filter(({ path, id }) => was.has(path) && was.get(path)?.id !== id).map(({ path }) => path),
    removed: before.filter(({ path }) => !is.has(path)).map(({ path }) => path),
  };
}

/** It covers each path, the bytes of each file, the text that is searched, and who finds it. */
function digestOfDocuments(documents: readonly DocumentRow[]): string {
  const hash = createHash('sha256');
  for (const { path, title, source_sha256, text_sha256, readers } of documents)
    hash.update(`${JSON.stringify([path, title, source_sha256, text_sha256, readers])}\n`);
  return `sha256:${hash.digest('hex')}`;
}
