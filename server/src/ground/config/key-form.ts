// Keys of service principals (`gsp_`) and of the gateway (`gtk_`): a prefix, 32 random bytes and a checksum. The checksum refuses a mistyped
// key without a database query, and the form helps to find leaked keys. The database stores an HMAC under a separate key; a random secret
// needs no slow hash.
import { createHmac, randomBytes, type KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';

interface KeyForm {
  newKey(): string;
  /** Checks form and checksum. */
  isKey(text: string): boolean;
}

function keyForm(prefix: 'gsp_' | 'gtk_'): KeyForm {
  const form = new RegExp(`^${prefix}([\\w-]{43})([0-9a-f]{8})$`);
  return {
    newKey: () => {
      const secret = randomBytes(32).toString('base64url');
      return `${prefix}${secret}${checksum(secret)}`;
    },
    isKey: (text) => {
      const [, secret = '', given] = form.exec(text) ?? [];
      return given !== undefined && checksum(secret) === given;
    },
  };
}

export const serviceKeys = keyForm('gsp_');
export const gatewayKeys = keyForm('gtk_');

/** The spec's "first 12 characters". They distinguish keys and do not help to guess the rest. */
export function prefixOf(key: string): string {
  return key.slice(0, 12);
}

/** A KeyObject is several times faster than its bytes. */
export function keyDigest(digest_key: Buffer | KeyObject, key: string): Buffer {
  return createHmac('sha256', digest_key).update(key).digest();
}

function checksum(secret: string): string {
  return crc32(secret).toString(16).padStart(8, '0');
}
