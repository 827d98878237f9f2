import type { Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export async function isAnyStored(db: Reader): Promise<boolean> {
  return (await db.one(sql`select 1 from stored_key limit 1`)) !== undefined;
}

/** The stored key of a purpose; stores the given one when there is none yet. */
export async function wrappedKey(db: Tx, purpose: string, fresh: Buffer): Promise<Buffer> {
  await db.run(sql`insert into stored_key (purpose, wrapped_key) values (${purpose}, ${fresh}) on conflict do nothing`);
  const row = await db.one<{ wrapped_key: Buffer }>(sql`select wrapped_key from stored_key where purpose = ${purpose}`);
  if (row === undefined) throw new Error(`the stored key ${purpose} is missing`);
  return row.wrapped_key;
}

export async function replaceWrappedKey(db: Tx, purpose: string, wrapped: Buffer): Promise<void> {
  await db.run(sql`update stored_key set wrapped_key = ${wrapped} where purpose = ${purpose}`);
}
