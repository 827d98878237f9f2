// The installation's random keys, one for each purpose, made once. The database has them only encrypted, under a key derived from
// SECRET_KEY. So SECRET_KEY can change: a start that also has the previous one encrypts every key anew.
import { randomBytes } from 'node:crypto';
import type { Database, Tx } from '../database/database.ts';
import { deriveKey, derivedBefore, storedKeyPurposes, unwrap, wrap, type StoredKeyPurpose } from '../derive-key.ts';
import * as store from './store.ts';

export type StoredKeys = Record<StoredKeyPurpose, Buffer>;

export interface SecretKeys {
  secret_key: string;
  /** The SECRET_KEY before the present one. */
  previous_secret_key?: string | undefined;
}

/** Makes the missing keys. Throws when neither secret opens a key. */
export async function openStoredKeys(db: Database, secrets: SecretKeys): Promise<StoredKeys> {
  return await db.transaction(async (tx) => {
    const isNew = !(await store.isAnyStored(tx));
    const keys: [StoredKeyPurpose, Buffer][] = [];
    for (const purpose of storedKeyPurposes)
      keys.push([purpose, await storedKey(tx, secrets, purpose, isNew ? randomBytes(32) : firstOf(purpose, secrets))]);
    return Object.fromEntries(keys) as StoredKeys; // every purpose has one
  });
}

function firstOf(purpose: StoredKeyPurpose, { secret_key, previous_secret_key }: SecretKeys): Buffer {
  const derived = derivedBefore.find((one) => one === purpose);
  return derived === undefined ? randomBytes(32) : deriveKey(previous_secret_key ?? secret_key, derived);
}

async function storedKey(
  tx: Tx,
  { secret_key, previous_secret_key }: SecretKeys,
  purpose: StoredKeyPurpose,
  first: Buffer,
): Promise<Buffer> {
  const present = deriveKey(secret_key, `${purpose}-wrap`);
  const wrapped = await store.wrappedKey(tx, purpose, wrap(present, first));
  const key = unwrapped(present, wrapped);
  if (key !== undefined) return key;
  const before =
    previous_secret_key === undefined
      ? undefined
      : unwrapped(deriveKey(previous_secret_key, `${purpose}-wrap`), wrapped);
  if (before === undefined)
    throw new Error(
      'SECRET_KEY is not the one that this database was set up with. After a change, set PREVIOUS_SECRET_KEY to the one before.',
    );
  await store.replaceWrappedKey(tx, purpose, wrap(present, before));
  return before;
}

function unwrapped(key: Buffer, wrapped: Buffer): Buffer | undefined {
  try {
    return unwrap(key, wrapped);
  } catch {
    return undefined; // another key, or a changed byte
  }
}
