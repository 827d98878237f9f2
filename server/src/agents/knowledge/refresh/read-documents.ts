// The documents of a base become those of a snapshot. What was read before with the same bytes is not read again.
import type { KnowledgeBaseConfig } from '@gantry/project/asset-config/knowledge-base.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { sha256 } from '../../../assets/registry/content.ts';
import type { Database } from '../../../ground/database/database.ts';
import * as documents from '../document-store.ts';
import { isErased } from '../erasure-store.ts';
import type { RefreshParts } from '../parts.ts';
import { reader_version } from '../reading/document-reader.ts';
import { keysOfNames } from '../rights/reader-keys.ts';
import { readersOf } from '../rights/readers-of.ts';
import * as snapshots from '../snapshot-store.ts';
import { documentsOf } from '../sources/documents-of.ts';
import { most_file_bytes, tooLargeFile } from '../sources/limits.ts';
import { DocumentUnreadable, type SourceContext, type SourceDocument } from '../sources/source.ts';
import type { RefreshRun } from './refresh-input.ts';
import { snapshotWriter, type NewFile } from './snapshot-writer.ts';

interface Toward {
  base_id: string;
  snapshot_id: string;
  config: KnowledgeBaseConfig;
  context: SourceContext;
  /** knowledge_base_documents */
  most_documents: number;
}

/** Throws when a source cannot be listed, and for too many documents. A file that cannot be read stops nothing. */
export async function readDocuments(
  { db, reader }: RefreshParts,
  { signal, log, notice }: Pick<RefreshRun, 'signal' | 'log' | 'notice'>,
  { base_id, snapshot_id, config, context, most_documents }: Toward,
): Promise<void> {
  const writer = snapshotWriter(db, snapshot_id);
  const before = await servingDocuments(db, base_id);
  const done = await snapshots.pathsDone(db, snapshot_id);
  const read = new Map<string, NewFile>();
  let same = 0;
  const refuse = async (path: string, problem: string) => {
    log(`not read: ${path}: ${problem}`);
    await writer.refuse(path, problem);
  };

  /** The file, if its text is not known. */
  const open = async (one: SourceDocument): Promise<NewFile | undefined> => {
    const readers = await readerKeys(db, readersOf(one.path, config.rights, one.readers), notice);
    const found = await knownOrFile(db, { one, base_id, readers, before: before.get(one.path) });
    if (!('id' in found)) return found;
    same += 1;
    await writer.keep(found.id);
    return undefined;
  };

  async function* unread(): AsyncGenerator<NewFile> {
    const seen = new Set<string>();
    for await (const one of documentsOf(config, context)) {
      signal.throwIfAborted();
      if (seen.has(one.path)) await refuse(one.path, 'another document has the same path');
      else if (!done.has(one.path)) {
        const file =
          'problem' in one
            ? await refuse(one.path, one.problem)
            : await open(one).catch(async (error: unknown) => await refuse(one.path, reasonOf(error)));
        if (file !== undefined) {
          read.set(file.path, file);
          yield file;
        }
      }
      if (seen.add(one.path).size > most_documents) throw tooMany(most_documents);
    }
  }

  for await (const reading of reader.read(unread(), { signal })) {
    const file = read.get(reading.path);
    if (file === undefined) throw new Error(`the reader answered for ${reading.path}`);
    read.delete(reading.path);
    if ('problem' in reading) await refuse(reading.path, reading.problem);
    else if (reading.read.text.trim() === '') await refuse(reading.path, 'it has no text');
    else {
      await writer.add(file, reading.read);
      log(`read: ${reading.path}`);
    }
  }
  if (read.size > 0) throw new Error(`the reader did not answer for ${[...read.keys()].join()}`);
  if (same > 0) log(`${same} documents are as they were`);
}

async function servingDocuments(db: Database, base_id: string): Promise<Map<string, documents.DocumentRow>> {
  const [serving] = await snapshots.servingOf(db, [base_id]);
  const rows = serving === undefined ? [] : await documents.documentsOf(db, serving.id);
  return new Map(rows.map((one) => [one.path, one]));
}

/** Null: everyone who may use the base. A name that means nobody gives no right. */
async function readerKeys(
  db: Database,
  names: readonly string[] | undefined,
  notice: RefreshRun['notice'],
): Promise<string[] | null> {
  if (names === undefined) return null;
  const { keys, unknown } = await keysOfNames(db, names);
  for (const name of unknown) notice(`there is no ${name}, so nobody reads as it`);
  return [...keys.values()].toSorted();
}

interface Compared {
  one: SourceDocument;
  base_id: string;
  readers: string[] | null;
  before: documents.DocumentRow | undefined;
}

/** A source that names its content needs no reading. */
async function knownOrFile(
  db: Database,
  { one, base_id, readers, before }: Compared,
): Promise<{ id: string } | NewFile> {
  const { path, title, media_type = 'application/octet-stream', mark = null } = one;
  const fits = (row: documents.DocumentRow) => title === undefined || row.title === title;
  const isSame =
    before !== undefined &&
    mark !== null &&
    before.mark === mark &&
    before.reader === reader_version &&
    JSON.stringify(before.readers) === JSON.stringify(readers) &&
    fits(before);
  if (isSame) return before;
  const bytes = await one.read();
  if (bytes.length > most_file_bytes) throw new DocumentUnreadable(tooLargeFile);
  const content = { base_id, path, source_sha256: sha256(bytes), reader: reader_version, readers };
  if (await isErased(db, base_id, path, content.source_sha256))
    throw new DocumentUnreadable('its content was erased: svc kb erase');
  const there = await documents.sameDocument(db, content);
  if (there !== undefined && fits(there)) return there;
  return { ...content, title, media_type, mark, source_bytes: bytes.length, bytes };
}

function tooMany(most_documents: number): Problem {
  return new Problem('too_large', {
    detail: `The base has more than ${most_documents} documents.`,
    hint: 'Divide it into several bases, or ask an admin: svc org set knowledge_base_documents',
  });
}

/** For people. A fault of the service itself ends the refresh. */
function reasonOf(error: unknown): string {
  if (error instanceof Problem) return error.detail;
  if (error instanceof DocumentUnreadable) return error.message;
  throw error;
}
