// Codes and refresh tokens: random, and stored as digests. A random secret needs no slow hash and no key.
import { createHash, randomBytes } from 'node:crypto';

export type SecretKind = 'code' | 'refresh';
const prefixes = { code: 'gcc_', refresh: 'gcr_' } as const;

export function newSecret(kind: SecretKind): string {
  return prefixes[kind] + randomBytes(32).toString('base64url');
}

export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** RFC 7636, section 4.6, with S256. */
export function provesChallenge(verifier: string, challenge: string): boolean {
  return /^[\w.~-]{43,128}$/.test(verifier) && digestOf(verifier).toString('base64url') === challenge;
}
