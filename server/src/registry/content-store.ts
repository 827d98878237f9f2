// Content, the bytes it is made of, and locks. None of it is governed: nothing refers to it until a version does.
import type { Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Content, Dependencies, Pin } from './content.ts';

export interface StoredContent extends Content {
  digest: string;
  source: string;
}

export const content = async (db: Reader, digest: string) =>
  await db.one<StoredContent>(
    sql`select digest, config, manifest, source, lock, dependencies, base_image, python, pins from content where digest = ${digest}`,
  );

export async function insertContent(tx: Tx, content: StoredContent): Promise<void> {
  await tx.run(sql`
    insert into content (digest, config, manifest, source, lock, dependencies, base_image, python, pins)
    values (${content.digest}, ${JSON.stringify(content.config)}, ${JSON.stringify(content.manifest)}, ${content.source}, ${content.lock},
      ${JSON.stringify(content.dependencies)}, ${content.base_image}, ${content.python}, ${JSON.stringify(content.pins)})
    on conflict (digest) do nothing`);
}

export async function pinsOf(db: Reader, digest: string): Promise<Pin[]> {
  const row = await db.one<{ pins: Pin[] }>(sql`select pins from content where digest = ${digest}`);
  if (row === undefined) throw new Error(`there is no content ${digest}`);
  return row.pins;
}

/** Of these blobs, those that are there. They are safe from the sweep until the transaction ends, and for a day after. */
export async function holdBlobs(tx: Tx, hashes: readonly string[]): Promise<Set<string>> {
  const rows = await tx.all<{ sha256: string }>(
    sql`update blob set staged_at = clock_now() where sha256 = any(${hashes}) returning sha256`,
  );
  return new Set(rows.map((row) => row.sha256));
}

/** Keeps these blobs for good. False when one of them is not there. */
export async function keepBlobs(tx: Tx, hashes: readonly string[]): Promise<boolean> {
  const different = [...new Set(hashes)];
  return (await tx.run(sql`update blob set kept = true where sha256 = any(${different})`)) === different.length;
}

export async function insertBlob(tx: Tx, sha256: string, bytes: Uint8Array): Promise<void> {
  await tx.run(
    sql`insert into blob (sha256, bytes) values (${sha256}, ${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)}) on conflict (sha256) do update set staged_at = clock_now()`,
  );
}

export const blob = async (db: Reader, sha256: string) =>
  (await db.one<{ bytes: Buffer }>(sql`select bytes from blob where sha256 = ${sha256}`))?.bytes;

/** Drops what pushes brought that no content came of. A day is far longer than any push lives. */
export async function sweepBlobs(tx: Tx): Promise<number> {
  return await tx.run(sql`delete from blob where not kept and staged_at < clock_now() - interval '1 day'`);
}

export interface StoredLock {
  lock: string;
  python: string;
  dependencies: Dependencies;
}

export const lock = async (db: Reader, inputs: string) =>
  await db.one<StoredLock>(sql`select lock, python, dependencies from dependency_lock where inputs = ${inputs}`);

export async function insertLock(tx: Tx, inputs: string, made: StoredLock): Promise<void> {
  await tx.run(sql`
    insert into dependency_lock (inputs, lock, python, dependencies) values (${inputs}, ${made.lock}, ${made.python}, ${JSON.stringify(made.dependencies)})
    on conflict (inputs) do nothing`);
}
