// Documents never change. Their bytes are in the base's own table, so that no other content shares them.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface NewDocument {
  base_id: string;
  path: string;
  title: string;
  media_type: string;
  mark: string | null;
  source_sha256: string;
  source_bytes: number;
  text_sha256: string;
  text_bytes: number;
  pages: number | null;
  reader: number;
  readers: string[] | null;
}

export interface DocumentRow extends NewDocument {
  id: string;
}

const columns = sql`d.id, d.base_id, d.path, d.title, d.media_type, d.mark, d.source_sha256, d.source_bytes, d.text_sha256, d.text_bytes, d.pages,
  d.reader, d.readers`;

/** The row is locked until the transaction ends, so that nobody drops it before something refers to it. */
export async function putBlob(tx: Tx, base_id: string, sha256: string, bytes: Uint8Array): Promise<void> {
  await tx.run(sql`
    insert into knowledge_blob (base_id, sha256, bytes) values (${base_id}, ${sha256}, ${Buffer.from(bytes)})
    on conflict (base_id, sha256) do update set sha256 = excluded.sha256`);
}

export async function dropUnusedBlob(tx: Tx, base_id: string, sha256: string): Promise<void> {
  // A statement sees what was committed before it, so the lock comes in one of its own.
  await tx.run(sql`select from knowledge_blob where base_id = ${base_id} and sha256 = ${sha256} for update`);
  await tx.run(sql`
    delete from knowledge_blob where base_id = ${base_id} and sha256 = ${sha256}
      and not exists (select from knowledge_upload u where u.base_id = ${base_id} and u.sha256 = ${sha256})
      and not exists (select from knowledge_document d where d.base_id = ${base_id} and ${sha256} in (d.source_sha256, d.text_sha256))`);
}

export async function blob(db: Reader, base_id: string, sha256: string): Promise<Buffer> {
  const bytes = await findBlob(db, base_id, sha256);
  if (bytes === undefined) throw new Error(`${base_id} has no blob ${sha256}`);
  return bytes;
}

export async function findBlob(db: Reader, base_id: string, sha256: string): Promise<Buffer | undefined> {
  const row = await db.one<{ bytes: Buffer }>(
    sql`select bytes from knowledge_blob where base_id = ${base_id} and sha256 = ${sha256}`,
  );
  return row?.bytes;
}

/** From byte `start`, at most `count` bytes. */
export async function partOfBlob(
  db: Reader,
  { base_id, sha256, start, count }: { base_id: string; sha256: string; start: number; count: number },
): Promise<Buffer | undefined> {
  const row = await db.one<{ part: Buffer }>(sql`
    select substring(bytes from ${start + 1}::int for ${count}::int) as part from knowledge_blob
    where base_id = ${base_id} and sha256 = ${sha256}`);
  return row?.part;
}

/** The document with this content. Undefined when it was never read. */
export const sameDocument = async (
  db: Reader,
  one: Pick<NewDocument, 'base_id' | 'path' | 'source_sha256' | 'reader' | 'readers'>,
) =>
  await db.one<DocumentRow>(sql`
    select ${columns} from knowledge_document d
    where d.base_id = ${one.base_id} and d.path = ${one.path} and d.source_sha256 = ${one.source_sha256} and d.reader = ${one.reader}
      and d.readers is not distinct from ${one.readers}::text[]
    order by d.made_at desc limit 1`);

export async function insertDocument(tx: Tx, one: NewDocument): Promise<{ id: string }> {
  const row = await tx.one<{ id: string }>(sql`
    insert into knowledge_document (base_id, path, title, media_type, mark, source_sha256, source_bytes, text_sha256, text_bytes, pages, reader, readers)
    values (${one.base_id}, ${one.path}, ${one.title}, ${one.media_type}, ${one.mark}, ${one.source_sha256}, ${one.source_bytes}, ${one.text_sha256},
      ${one.text_bytes}, ${one.pages}, ${one.reader}, ${one.readers})
    on conflict (base_id, path, source_sha256, reader, title, readers) do update set mark = excluded.mark
    returning id`);
  if (row === undefined) throw new Error('an insert returned no row');
  return row;
}

/** Of the snapshot, by path. */
export const documentsOf = async (db: Reader, snapshot_id: string) =>
  await db.all<DocumentRow>(sql`
    select ${columns} from knowledge_snapshot_document s join knowledge_document d on d.id = s.document_id
    where s.snapshot_id = ${snapshot_id} order by d.path collate "C"`);

export const documentById = async (db: Reader, base_id: string, id: string) =>
  await db.one<DocumentRow>(
    sql`select ${columns} from knowledge_document d where d.base_id = ${base_id} and d.id = ${id}`,
  );
