// A service principal's key: `gsp_`, 32 random bytes and a checksum. The checksum refuses a mistyped key without a database query, and the
// form helps to find leaked keys. The database stores an HMAC under a separate key; a random secret needs no slow hash.
import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const form = /^gsp_([\w-]{43})([0-9a-f]{8})$/;

export function newKey(): string {
  const secret = randomBytes(32).toString('base64url');
  return `gsp_${secret}${checksum(secret)}`;
}

/** Checks form and checksum. */
export function isKey(text: string): boolean {
  const [, secret = '', given] = form.exec(text) ?? [];
  return given !== undefined && checksum(secret) === given;
}

/** The spec's "first 12 characters". They distinguish keys and do not help to guess the rest. */
export function prefixOf(key: string): string {
  return key.slice(0, 12);
}

export function keyDigest(digest_key: Buffer, key: string): Buffer {
  return createHmac('sha256', digest_key).update(key).digest();
}

function checksum(secret: string): string {
  return crc32(secret).toString(16).padStart(8, '0');
}
