// Chunks belong to an index, its settings and a document. None of it is governed: which snapshot and which settings are searched is.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Chunk } from './chunks/cut-chunks.ts';

/** What is searched of one base: the chunks that an index has of its serving snapshot. */
export interface Part {
  index_id: string;
  settings: string;
  snapshot_id: string;
}

/** Documents of the snapshot without chunks, by path: passages of one score are found in this order. */
export const unchunked = async (db: Reader, { index_id, settings, snapshot_id }: Part) =>
  await db.all<{ id: string; text_sha256: string }>(sql`
    select d.id, d.text_sha256 from knowledge_snapshot_document s join knowledge_document d on d.id = s.document_id
    where s.snapshot_id = ${snapshot_id} and not exists
      (select from knowledge_chunk c where c.document_id = d.id and c.index_id = ${index_id} and c.settings = ${settings})
    order by d.path collate "C"`);

/** All of one document. `dictionary`: the configuration of PostgreSQL's text search. */
export async function insertChunks(
  tx: Tx,
  {
    index_id,
    settings,
    document_id,
    dictionary,
  }: Omit<Part, 'snapshot_id'> & { document_id: string; dictionary: string },
  chunks: readonly Chunk[],
): Promise<void> {
  const rows = chunks.map(({ start, end, headings, text }, n) => ({
    n,
    starts: start,
    ends: end,
    headings,
    passage: text,
  }));
  await tx.run(sql`
    insert into knowledge_chunk (index_id, settings, document_id, n, starts, ends, headings, passage, words)
    select ${index_id}, ${settings}, ${document_id}, r.n, r.starts, r.ends, r.headings, r.passage,
      setweight(to_tsvector(${dictionary}::regconfig, array_to_string(r.headings, ' ')), 'B') || to_tsvector(${dictionary}::regconfig, r.passage)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (n int, starts int, ends int, headings text[], passage text)
    on conflict do nothing`);
}

export interface FoundChunk {
  id: string;
  base_id: string;
  document_id: string;
  title: string;
  path: string;
  starts: number;
  ends: number;
  headings: string[];
  passage: string;
}

/** Which documents a caller finds: those without readers, and those with one of these. */
export interface Sight {
  /** `all`: every document, for the owner's questions about the whole base. */
  readers: readonly string[] | 'all';
  /** Hidden by a config that is newer than the snapshot. */
  hidden: readonly string[];
}

export const everything: Sight = { readers: 'all', hidden: [] };

const isOpen = (readers: Sight['readers']) =>
  readers === 'all' ? sql`true` : sql`(d.readers is null or d.readers && ${readers}::text[])`;

const isIn = ({ index_id, settings, snapshot_id }: Part) => sql`
  c.index_id = ${index_id} and c.settings = ${settings}
  and exists (select from knowledge_snapshot_document s where s.snapshot_id = ${snapshot_id} and s.document_id = d.id)`;

const visible = (part: Part, { readers, hidden }: Sight) =>
  sql`${isIn(part)} and ${isOpen(readers)} and d.id <> all(${hidden}::uuid[])`;

const tables = sql`knowledge_chunk c join knowledge_document d on d.id = c.document_id`;

/** The chunks with some of the words, the best first. Each score is of its chunk alone. */
export const byWords = async (
  db: Reader,
  part: Part,
  sight: Sight,
  { query, dictionary, limit }: { query: string; dictionary: string; limit: number },
) =>
  await db.all<{ id: string; score: number }>(sql`
    with asked as (select replace(plainto_tsquery(${dictionary}::regconfig, ${query})::text, ' & ', ' | ')::tsquery as words)
    select c.id::text as id, ts_rank_cd(c.words, asked.words, 1) as score from asked, ${tables}
    where ${visible(part, sight)} and c.words @@ asked.words order by score desc, c.id limit ${limit}`);

export const chunksById = async (db: Reader, ids: readonly string[]) =>
  await db.all<FoundChunk>(sql`
    select c.id::text as id, d.base_id, c.document_id, d.title, d.path, c.starts, c.ends, c.headings, c.passage
    from ${tables} where c.id = any(${ids}::bigint[])`);

/** Those that no guardrail has blocked. */
export const readable = async (db: Reader, ids: readonly string[]) =>
  await db.all<Pick<FoundChunk, 'id' | 'headings' | 'passage'>>(sql`
    select id::text as id, headings, passage from knowledge_chunk
    where id = any(${ids}::bigint[]) and (vector is null or cardinality(vector) > 0)`);

/** Chunks without a vector of this maker. */
export const unembedded = async (db: Reader, part: Part, limit: number) =>
  await db.all<{ id: string; headings: string[]; passage: string }>(sql`
    select c.id::text as id, c.headings, c.passage from ${tables}
    where ${isIn(part)} and c.vector is null
    order by c.id limit ${limit}`);

/** An empty vector: a guardrail has blocked the passage, so it is found by its words alone. */
export async function putVectors(
  tx: Tx,
  made_by: string | null,
  vectors: readonly { id: string; vector: readonly number[] }[],
): Promise<void> {
  for (const { id, vector } of vectors)
    await tx.run(
      sql`update knowledge_chunk set vector = ${vector}::real[], made_by = ${made_by} where id = ${id}::bigint`,
    );
}

/** Of the snapshot. */
export const countChunks = async (db: Reader, part: Part) =>
  (await db.one<{ count: number }>(sql`select count(*)::int as count from ${tables} where ${isIn(part)}`))?.count ?? 0;

/** Of the snapshot, in the order of ids. A vector is in the form of PostgreSQL's `array_send`. */
export const vectorsOf = async (
  db: Reader,
  part: Part,
  { made_by, after, limit }: { made_by: string; after: string; limit: number },
) =>
  await db.all<{ id: string; document_id: string; vector: Buffer }>(sql`
    select c.id::text as id, c.document_id, array_send(c.vector) as vector from ${tables}
    where ${isIn(part)} and c.made_by = ${made_by} and cardinality(c.vector) > 0 and c.id > ${after}::bigint
    order by c.id limit ${limit}`);

/** By pgvector, which the database must have: the nearest first, exactly. A score is a cosine. */
export const byVector = async (
  db: Reader,
  part: Part,
  sight: Sight,
  { vector, made_by, limit }: { vector: Float32Array; made_by: string; limit: number },
) =>
  await db.all<{ id: string; score: number }>(sql`
    select c.id::text as id, (-(c.vector::vector <#> ${[...vector]}::real[]::vector))::real as score from ${tables}
    where ${visible(part, sight)} and c.made_by = ${made_by} and cardinality(c.vector) > 0
    order by score desc, c.id limit ${limit}`);

/** The documents of the snapshot that the caller does not find. */
export const hiddenDocuments = async (db: Reader, snapshot_id: string, { readers, hidden }: Sight) =>
  (
    await db.all<{ id: string }>(sql`
      select d.id from knowledge_snapshot_document s join knowledge_document d on d.id = s.document_id
      where s.snapshot_id = ${snapshot_id} and (not ${isOpen(readers)} or d.id = any(${hidden}::uuid[]))`)
  ).map(({ id }) => id);
