// The keys that sign what others check, ES256. Promises: a private key is sealed at rest and leaves no process; the next key is published before it
// signs; a retired one stays published for longer than anything that it has signed. The first use makes them, and one that is old makes way for the next.
import { randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
  type CryptoKey,
  type JWTPayload,
} from 'jose';
import type { JWK } from 'jose';
import type { SigningKey } from '@gantry/contract/signing-keys.ts';
import { authorize, type Grant } from '../access/authorize.ts';
import { systemCaller, type Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { theOrg } from '../access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Envelope, SealedRow } from '../../ground/envelope/envelope.ts';
import * as store from './signing-key-store.ts';

interface KeyParts {
  db: Database;
  envelope: Envelope;
}

/** Signs the claims as they are, with the time at which they were made. */
export type Sign = (claims: JWTPayload, header: { typ: string }) => Promise<string>;

const oldest_days = 90;
const retired_hours = 24;
/** A process learns of a rotation after this time; the retired key is published until then. */
const known_ms = 60_000;
const alg = 'ES256';

export function signer(parts: KeyParts): Sign {
  let known: { until: number; kid: string; key: CryptoKey } | undefined;
  return async (claims, { typ }) => {
    if (known === undefined || known.until <= performance.now()) {
      const row = (await store.young(parts.db, oldest_days)) ?? (await renewed(parts));
      known = { until: performance.now() + known_ms, kid: row.kid, key: await privateKey(parts, row) };
    }
    return await new SignJWT(claims).setProtectedHeader({ alg, typ, kid: known.kid }).setIssuedAt().sign(known.key);
  };
}

/** The public halves. */
export async function publishedKeys(parts: KeyParts) {
  if ((await store.young(parts.db, oldest_days)) === undefined) await renewed(parts);
  const keys = (await store.published(parts.db, retired_hours)).map(({ kid, public_jwk: { x = '', y = '' } }) => ({
    kty: 'EC' as const,
    crv: 'P-256' as const,
    alg: 'ES256' as const,
    use: 'sig' as const,
    kid,
    x,
    y,
  }));
  return { keys };
}

/** Throws the refusal. */
export async function rotateSigningKey(parts: KeyParts, caller: Caller): Promise<SigningKey[]> {
  const grant = authorize(caller, 'signing_key.rotate', theOrg);
  await rotate(parts, grant, async () => await Promise.resolve(true));
  const rows = await store.published(parts.db, retired_hours);
  return rows.map(({ kid, state, made_at, signs_since }) => ({ kid, state, made_at, signs_since }));
}

async function renewed(parts: KeyParts): Promise<store.KeyRow> {
  const operation = 'system.rotate_signing_key';
  const grant = authorize(systemCaller(operation), operation, theOrg);
  await rotate(parts, grant, async (db) => (await store.young(db, oldest_days)) === undefined);
  const row = await store.young(parts.db, oldest_days);
  if (row === undefined) throw new Error('there is no key that signs');
  return row;
}

/** `isWanted` is asked under the lock, so of several processes one makes the key. */
async function rotate(
  { db, envelope }: KeyParts,
  grant: Grant,
  isWanted: (db: Parameters<typeof store.young>[0]) => Promise<boolean>,
): Promise<void> {
  const [first, second] = [await newKey(envelope), await newKey(envelope)];
  await change(db, grant, 'signing_key.rotated', async (tx, note) => {
    await store.lock(tx);
    if (!(await isWanted(tx))) return;
    const before = await store.published(tx, 0);
    // A fresh installation has no next one.
    if (!before.some(({ state }) => state === 'next')) await store.insert(tx, first);
    await store.advance(tx, retired_hours);
    await store.insert(tx, second);
    const now = (await store.published(tx, 0)).find(({ state }) => state === 'current');
    note({ kid: now?.kid, before: before.find(({ state }) => state === 'current')?.kid ?? null, next: second.kid });
  });
}

const rowOf = (id: string): SealedRow => ({ table: 'signing_key', id });

async function newKey(envelope: Envelope) {
  const pair = await generateKeyPair(alg, { extractable: true });
  const public_jwk = await exportJWK(pair.publicKey);
  const id = randomUUID();
  const sealed = envelope.seal(JSON.stringify(await exportJWK(pair.privateKey)), rowOf(id));
  return { id, kid: await calculateJwkThumbprint(public_jwk), public_jwk, sealed };
}

async function privateKey({ envelope }: KeyParts, { id, sealed }: store.KeyRow): Promise<CryptoKey> {
  const jwk = JSON.parse(envelope.open(sealed, rowOf(id))) as JWK; // newKey has written it
  const key = await importJWK(jwk, alg);
  if (key instanceof Uint8Array) throw new Error('a signing key is a pair of keys');
  return key;
}
