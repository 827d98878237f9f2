import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../database/sql.ts';
import { deriveKey, derivedBefore } from '../derive-key.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { openEnvelope } from './envelope.ts';
import { openStoredKeys } from './stored-keys.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => await database?.close());

const newSecret = () => randomBytes(32).toString('base64');
const row = { table: 'secret', id: randomUUID() };

test('a sealed text opens in its own row only, under its own key, unchanged', () => {
  const { seal, open } = openEnvelope(randomBytes(32));
  const sealed = seal('Schlüssel 🔑', row);
  expect(open(sealed, row)).toBe('Schlüssel 🔑');
  expect(seal('Schlüssel 🔑', row)).not.toEqual(sealed);
  expect(() => open(sealed, { ...row, id: randomUUID() })).toThrow();
  expect(() => open(sealed, { ...row, table: 'gateway_key' })).toThrow();
  expect(() => openEnvelope(randomBytes(32)).open(sealed, row)).toThrow('sealed under another key');
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => open(changed, row), `byte ${at}`).toThrow();
    expect(() => open(sealed.subarray(0, at), row), `${at} bytes`).toThrow();
  }
});

test('SECRET_KEY can change: a start with the previous one keeps every key, and only the new one opens them', async () => {
  const { db } = database;
  const [first, second] = [newSecret(), newSecret()];
  const keys = await openStoredKeys(db, { secret_key: first });
  expect(await openStoredKeys(db, { secret_key: first })).toEqual(keys);
  await expect(openStoredKeys(db, { secret_key: second })).rejects.toThrow('PREVIOUS_SECRET_KEY');
  expect(await openStoredKeys(db, { secret_key: second, previous_secret_key: first })).toEqual(keys);
  expect(await openStoredKeys(db, { secret_key: second })).toEqual(keys);
  await expect(openStoredKeys(db, { secret_key: first })).rejects.toThrow('SECRET_KEY is not the one');
});

test('replicas that start together on an empty database have the same keys, and none of them is stored as it is', async () => {
  const { db } = database;
  await db.run(sql`delete from stored_key`);
  const secret_key = newSecret();
  const [one, ...others] = await Promise.all(
    Array.from({ length: 8 }, async () => await openStoredKeys(db, { secret_key })),
  );
  for (const other of others) expect(other).toEqual(one);
  const rows = await db.all<{ wrapped_key: Buffer }>(sql`select wrapped_key from stored_key`);
  for (const key of Object.values(one ?? {})) {
    expect(key).toHaveLength(32);
    expect(rows.filter(({ wrapped_key }) => wrapped_key.includes(key))).toEqual([]);
  }
});

test('an installation that derived its keys from SECRET_KEY keeps them, also when SECRET_KEY changes at the same start', async () => {
  const { db } = database;
  await db.run(sql`delete from stored_key`);
  const [first, second] = [newSecret(), newSecret()];
  const { password } = await openStoredKeys(db, { secret_key: first });
  await db.run(sql`delete from stored_key where purpose <> 'password'`);
  const keys = await openStoredKeys(db, { secret_key: second, previous_secret_key: first });
  const derived = Object.fromEntries(derivedBefore.map((purpose) => [purpose, deriveKey(first, purpose)]));
  expect(keys).toMatchObject({ password, ...derived });
  expect(await openStoredKeys(db, { secret_key: second })).toEqual(keys);
});
