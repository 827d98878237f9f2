// What a refresh stores of each document, in one transaction for each: after a kill, the next attempt goes on with the others.
import { sha256 } from '../../../assets/registry/content.ts';
import type { Database } from '../../../ground/database/database.ts';
import * as documents from '../document-store.ts';
import type { ReadDocument } from '../reading/document-reader.ts';
import * as snapshots from '../snapshot-store.ts';

/** A file whose bytes are new, with what its source says of it. */
export interface NewFile extends Omit<documents.NewDocument, 'title' | 'text_sha256' | 'text_bytes' | 'pages'> {
  title: string | undefined;
  bytes: Uint8Array;
}

export interface SnapshotWriter {
  /** Not in the snapshot, and named. */
  refuse(path: string, problem: string): Promise<void>;
  /** A document that was read before. */
  keep(document_id: string): Promise<void>;
  add(file: NewFile, read: ReadDocument): Promise<void>;
}

export function snapshotWriter(db: Database, snapshot_id: string): SnapshotWriter {
  return {
    refuse: async (path, problem) =>
      await db.transaction(async (tx) => await snapshots.addFailure(tx, snapshot_id, path, problem)),
    keep: async (document_id) =>
      await db.transaction(async (tx) => await snapshots.addDocument(tx, snapshot_id, document_id)),
    add: async ({ bytes, title, ...file }, read) => {
      const text = Buffer.from(read.text.toWellFormed());
      const text_sha256 = sha256(text);
      await db.transaction(async (tx) => {
        await documents.putBlob(tx, file.base_id, file.source_sha256, bytes);
        await documents.putBlob(tx, file.base_id, text_sha256, text);
        const document = await documents.insertDocument(tx, {
          ...file,
          title: (title ?? read.title ?? file.path).slice(0, 200),
          text_sha256,
          text_bytes: text.length,
          pages: read.pages ?? null,
        });
        await snapshots.addDocument(tx, snapshot_id, document.id);
      });
    },
  };
}
