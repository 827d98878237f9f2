// The HMAC key for the hashes of passwords: random, made once, stored only encrypted under SECRET_KEY.
import { randomBytes } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { unwrap, wrap } from '../derive-key.ts';
import * as store from './store.ts';

export async function passwordKey(db: Database, wrapping_key: Buffer): Promise<Buffer> {
  const wrapped = await store.wrappedKey(db, wrap(wrapping_key, randomBytes(32)));
  try {
    return unwrap(wrapping_key, wrapped);
  } catch (cause) {
    throw new Error('SECRET_KEY is not the one that this database was set up with.', { cause });
  }
}
