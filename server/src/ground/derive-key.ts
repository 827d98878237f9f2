// Every purpose has its own key, derived from SECRET_KEY (HKDF, RFC 5869). A token signed with the secret itself, or with another purpose's
// key, is invalid.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export type Purpose =
  | 'access-token'
  | 'client-token'
  | 'cursor'
  | 'request-digest'
  | 'password-token'
  | 'hand-over'
  | (typeof derivedBefore)[number]
  | `${StoredKeyPurpose}-wrap`;

/** Stored keys that older installations derived from SECRET_KEY, and on which their rows depend. */
export const derivedBefore = ['service-key', 'webhook-secret', 'ingress-secret'] as const;

/** The purposes of the keys in the database (envelope/stored-keys.ts). */
export const storedKeyPurposes = ['password', 'envelope', 'key-pepper', 'run-token', ...derivedBefore] as const;
export type StoredKeyPurpose = (typeof storedKeyPurposes)[number];

export function deriveKey(secret_key: string, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret_key, 'gantry', purpose, 32));
}

/** AES-256-GCM: nonce, tag, ciphertext. `bound` is not in the result, and only the same bytes open it. */
export function wrap(key: Buffer, plain: Buffer, bound: Buffer = Buffer.alloc(0)): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bound);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Throws for another key, other bound bytes or a changed byte. */
export function unwrap(key: Buffer, wrapped: Buffer, bound: Buffer = Buffer.alloc(0)): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, 12), { authTagLength: 16 }).setAAD(bound);
  decipher.setAuthTag(wrapped.subarray(12, 28));
  return Buffer.concat([decipher.update(wrapped.subarray(28)), decipher.final()]);
}
