import type { Database } from '../../../ground/database/database.ts';
import * as documents from '../document-store.ts';
import * as store from '../chunk-store.ts';
import type { Making } from '../searched.ts';
import { cutChunks } from './cut-chunks.ts';

interface ToChunk extends store.Part {
  base_id: string;
  making: Making;
}

/** Chunks of the documents that have none. All of a document are stored at once, so a kill leaves no half of them. */
export async function makeChunks(db: Database, part: ToChunk, signal: AbortSignal): Promise<void> {
  const { index_id, settings, base_id, making } = part;
  for (const { id: document_id, text_sha256 } of await store.unchunked(db, part)) {
    signal.throwIfAborted();
    const text = (await documents.blob(db, base_id, text_sha256)).toString();
    const chunks = cutChunks(text, making);
    const of = { index_id, settings, document_id, dictionary: making.dictionary };
    await db.transaction(async (tx) => await store.insertChunks(tx, of, chunks));
  }
}
