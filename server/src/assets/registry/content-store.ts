// Content, its blobs and its locks. None of it is governed: nothing refers to it until a version does.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Content, Dependencies, Pin } from './content.ts';

export interface StoredContent extends Content {
  /** The pin of the base image. Null until it is looked up, for content of schema 1. */
  base_pin: string | null;
  digest: string;
  source: string;
}

export const content = async (db: Reader, digest: string) =>
  await db.one<StoredContent>(sql`
    select c.digest, c.schema, c.config, c.manifest, c.source, c.lock, c.dependencies, c.base_image, c.python, c.pins,
      case c.schema when 1 then p.pin else c.base_image end as base_pin
    from content c left join base_pin p on p.base_image = c.base_image where c.digest = ${digest}`);

export async function insertContent(tx: Tx, content: Omit<StoredContent, 'base_pin'>): Promise<void> {
  await tx.run(sql`
    insert into content (digest, schema, config, manifest, source, lock, dependencies, base_image, python, pins)
    values (${content.digest}, ${content.schema}, ${JSON.stringify(content.config)}, ${JSON.stringify(content.manifest)}, ${content.source}, ${content.lock},
      ${JSON.stringify(content.dependencies)}, ${content.base_image}, ${content.python}, ${JSON.stringify(content.pins)})
    on conflict (digest) do nothing`);
}

export async function config(db: Reader, digest: string): Promise<Record<string, unknown>> {
  const row = await db.one<Pick<Content, 'config'>>(sql`select config from content where digest = ${digest}`);
  if (row === undefined) throw new Error(`there is no content ${digest}`);
  return row.config;
}

export const configs = async (db: Reader, version_ids: readonly string[]) =>
  await db.all<Pick<Content, 'config'> & { version_id: string }>(sql`
    select v.id as version_id, c.config from version v join content c on c.digest = v.digest
    where v.id = any(${version_ids})`);

export async function pinsOf(db: Reader, digest: string): Promise<Pin[]> {
  const row = await db.one<{ pins: Pin[] }>(sql`select pins from content where digest = ${digest}`);
  if (row === undefined) throw new Error(`there is no content ${digest}`);
  return row.pins;
}

/** The known pins of the base images of all contents. */
export async function basePins(db: Reader): Promise<string[]> {
  const rows = await db.all<{ pin: string }>(sql`
    select distinct base_image as pin from content where schema <> 1 union select pin from base_pin`);
  return rows.map(({ pin }) => pin);
}

/** The base images of contents of schema 1 whose pins are not known. */
export async function unpinnedBases(db: Reader): Promise<string[]> {
  const rows = await db.all<{ base_image: string }>(sql`
    select distinct base_image from content c
    where schema = 1 and base_image <> '' and not exists (select from base_pin p where p.base_image = c.base_image)`);
  return rows.map(({ base_image }) => base_image);
}

export async function insertBasePin(tx: Tx, { base_image, pin }: { base_image: string; pin: string }): Promise<void> {
  await tx.run(sql`insert into base_pin (base_image, pin) values (${base_image}, ${pin}) on conflict do nothing`);
}

/** Stores these bytes by hash. The sweep spares them until the transaction ends, and for a day after. */
export async function stageBlobs(tx: Tx, blobs: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const rows = await tx.all<{ sha256: string }>(sql`select sha256 from blob where sha256 = any(${[...blobs.keys()]})`);
  const there = new Set(rows.map((row) => row.sha256));
  // All rows, old and new, are locked in the order of hashes. Otherwise two pushes with files in common would wait for each other.
  for (const [sha256, bytes] of [...blobs].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const held =
      there.has(sha256) && (await tx.run(sql`update blob set staged_at = clock_now() where sha256 = ${sha256}`)) === 1;
    if (!held) await insertBlob(tx, sha256, bytes);
  }
}

/** Protects these blobs from the sweep for another day. False when one is missing. */
export async function touchBlobs(tx: Tx, hashes: readonly string[]): Promise<boolean> {
  const different = [...new Set(hashes)];
  // The same order as in a push.
  const touched = await tx.run(sql`
    with held as (select sha256 from blob where sha256 = any(${different}) order by sha256 collate "C" for update)
    update blob set staged_at = clock_now() from held where blob.sha256 = held.sha256`);
  return touched === different.length;
}

/** Keeps these blobs for good. False when one is missing. */
export async function keepBlobs(tx: Tx, hashes: readonly string[]): Promise<boolean> {
  const different = [...new Set(hashes)];
  // The same order as in a push.
  const kept = await tx.run(sql`
    with held as (select sha256 from blob where sha256 = any(${different}) order by sha256 collate "C" for update)
    update blob set kept = true from held where blob.sha256 = held.sha256`);
  return kept === different.length;
}

export async function insertBlob(tx: Tx, sha256: string, bytes: Uint8Array): Promise<void> {
  await tx.run(
    sql`insert into blob (sha256, bytes) values (${sha256}, ${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)}) on conflict (sha256) do update set staged_at = clock_now()`,
  );
}

export const blob = async (db: Reader, sha256: string) =>
  (await db.one<{ bytes: Buffer }>(sql`select bytes from blob where sha256 = ${sha256}`))?.bytes;

/** The existing ones, by hash. */
export async function blobs(db: Reader, hashes: readonly string[]): Promise<Map<string, Uint8Array>> {
  const rows = await db.all<{ sha256: string; bytes: Buffer }>(
    sql`select sha256, bytes from blob where sha256 = any(${hashes})`,
  );
  return new Map(rows.map(({ sha256, bytes }) => [sha256, bytes]));
}

/** Drops uploaded blobs that no content uses. A day is far longer than any push. */
export async function sweepBlobs(tx: Tx): Promise<number> {
  // A push stages the locked blobs again at this moment; neither waits for the other.
  return await tx.run(sql`
    with idle as (
      select sha256 from blob where not kept and staged_at < clock_now() - interval '1 day' for update skip locked)
    delete from blob using idle where blob.sha256 = idle.sha256`);
}

export interface StoredLock {
  lock: string;
  python: string;
  dependencies: Dependencies;
}

export const lock = async (db: Reader, inputs: string) =>
  await db.one<StoredLock>(sql`select lock, python, dependencies from dependency_lock where inputs = ${inputs}`);

/** Replaces an earlier lock, because its wheels may be gone. */
export async function putLock(tx: Tx, inputs: string, made: StoredLock): Promise<void> {
  await tx.run(sql`
    insert into dependency_lock (inputs, lock, python, dependencies) values (${inputs}, ${made.lock}, ${made.python}, ${JSON.stringify(made.dependencies)})
    on conflict (inputs) do update set lock = excluded.lock, python = excluded.python, dependencies = excluded.dependencies`);
}
