// A snapshot is the documents of one moment. It has no number until it is whole, and nobody sees it before. The row that says which one serves is governed.
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface SnapshotRow {
  id: string;
  base_id: string;
  number: number;
  version: string;
  /** Of its Git repository; null without one. */
  commit: string | null;
  /** The digest of the content of that version. */
  config: string;
  digest: string;
  added: number;
  changed: number;
  removed: number;
  made_by: string;
  made_at: string;
  serves: boolean;
  documents: number;
  failures: number;
  /** Of the base: another number, other vectors. */
  erasures: number;
}

/** Once for a run. */
export async function begin(
  tx: Tx,
  { id, base_id, version, config, made_by }: Pick<SnapshotRow, 'id' | 'base_id' | 'version' | 'config' | 'made_by'>,
): Promise<void> {
  await tx.run(sql`
    insert into knowledge_snapshot (id, base_id, version, config, made_by) values (${id}, ${base_id}, ${version}, ${config}, ${made_by}) on conflict (id) do nothing`);
}

/** Of a run that did not succeed. */
export async function discard(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`delete from knowledge_snapshot where id = ${id} and number is null`);
}

/** False when an interrupted attempt has read another commit. */
export async function atCommit(tx: Tx, id: string, commit: string): Promise<boolean> {
  const row = await tx.one(sql`
    update knowledge_snapshot set commit = ${commit} where id = ${id} and coalesce(commit, ${commit}) = ${commit} returning id`);
  return row !== undefined;
}

/** Of one that is not whole: all that an interrupted attempt has read. */
export async function empty(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`delete from knowledge_snapshot_document where snapshot_id = ${id}`);
  await tx.run(sql`delete from knowledge_failure where snapshot_id = ${id}`);
  await tx.run(sql`update knowledge_snapshot set commit = null where id = ${id} and number is null`);
}

export async function addDocument(tx: Tx, snapshot_id: string, document_id: string): Promise<void> {
  await tx.run(sql`
    insert into knowledge_snapshot_document (snapshot_id, document_id) values (${snapshot_id}, ${document_id}) on conflict do nothing`);
}

export async function addFailure(tx: Tx, snapshot_id: string, path: string, problem: string): Promise<void> {
  await tx.run(sql`
    insert into knowledge_failure (snapshot_id, path, problem) values (${snapshot_id}, ${path}, ${problem})
    on conflict (snapshot_id, path) do update set problem = excluded.problem`);
}

/** Paths that an interrupted attempt has finished. */
export async function pathsDone(db: Reader, snapshot_id: string): Promise<Set<string>> {
  const rows = await db.all<{ path: string }>(sql`
    select d.path from knowledge_snapshot_document s join knowledge_document d on d.id = s.document_id where s.snapshot_id = ${snapshot_id}
    union select path from knowledge_failure where snapshot_id = ${snapshot_id}`);
  return new Set(rows.map(({ path }) => path));
}

/** Gives it the next number of its base. Returns that of an earlier attempt, if there was one. */
export async function finish(
  tx: Tx,
  { id, digest, added, changed, removed }: Pick<SnapshotRow, 'id' | 'digest' | 'added' | 'changed' | 'removed'>,
): Promise<number> {
  const row = await tx.one<{ number: number }>(sql`
    update knowledge_snapshot s set digest = ${digest}, added = ${added}, changed = ${changed}, removed = ${removed},
      number = coalesce(s.number, 1 + (select coalesce(max(number), 0) from knowledge_snapshot where base_id = s.base_id))
    where s.id = ${id} returning s.number`);
  if (row === undefined) throw new Error(`there is no snapshot ${id}`);
  return row.number;
}

const erasures = sql`(select count(*)::int from knowledge_erasure where base_id = s.base_id) as erasures`;
const columns = sql`s.id, s.base_id, s.number, s.version, s.commit, s.config, s.digest, s.added, s.changed, s.removed, s.made_by, s.made_at,
  exists (select from knowledge_serving where snapshot_id = s.id) as serves,
  (select count(*) from knowledge_snapshot_document where snapshot_id = s.id) as documents,
  (select count(*) from knowledge_failure where snapshot_id = s.id) as failures, ${erasures}`;

/** Whole ones, the newest first. */
export const listed = async (db: Reader, base_id: string, { before, limit }: { before?: number; limit: number }) =>
  await db.all<SnapshotRow>(sql`
    select ${columns} from knowledge_snapshot s
    where s.base_id = ${base_id} and s.number is not null and s.number < ${before ?? 2 ** 31 - 1} order by s.number desc limit ${limit}`);

export const byNumber = async (db: Reader, base_id: string, number: number) =>
  await db.one<SnapshotRow>(
    sql`select ${columns} from knowledge_snapshot s where s.base_id = ${base_id} and s.number = ${number}`,
  );

export const failuresOf = async (db: Reader, snapshot_id: string) =>
  await db.all<{ path: string; problem: string }>(sql`
    select path, problem from knowledge_failure where snapshot_id = ${snapshot_id} order by path collate "C"`);

/** The snapshot that serves of each base, in no order. */
export const servingOf = async (db: Reader, base_ids: readonly string[]) =>
  await db.all<Pick<SnapshotRow, 'id' | 'base_id' | 'number' | 'version' | 'config' | 'digest' | 'erasures'>>(sql`
    select s.id, s.base_id, s.number, s.version, s.config, s.digest, ${erasures} from knowledge_serving v join knowledge_snapshot s on s.id = v.snapshot_id
    where v.base_id = any(${base_ids})`);

export async function serve(tx: GovernedTx, base_id: string, snapshot_id: string): Promise<void> {
  await tx.write(
    'knowledge_serving',
    sql`
      insert into knowledge_serving (base_id, snapshot_id) values (${base_id}, ${snapshot_id})
      on conflict (base_id) do update set snapshot_id = excluded.snapshot_id, since = clock_now() returning id`,
  );
}

/** The newest whole one with a smaller number. */
export const lastBefore = async (db: Reader, base_id: string, number: number) =>
  await db.one<{ id: string }>(sql`
    select id from knowledge_snapshot where base_id = ${base_id} and number < ${number} order by number desc limit 1`);

export async function stopServing(tx: GovernedTx, base_id: string): Promise<void> {
  await tx.write('knowledge_serving', sql`delete from knowledge_serving where base_id = ${base_id} returning id`);
}
