// The secrets of a revision, as Secret Manager keeps them. All agents of a target have one identity, and with it the code of one agent could read
// what Secret Manager has for another. So the store has them sealed. The key of a revision is in its description alone, which that identity may not
// read. The wrapper opens them with Python's own library, which has no cipher: hence a stream of SHAKE256 and a mark of HMAC-SHA256 over it.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const nonce_bytes = 32;
const mark_bytes = 32;

/** The same for the same revision, so that a repeated description replaces no replica. */
export const sealingKey = (service_key: Buffer, revision_id: string): string =>
  createHmac('sha256', service_key).update(`cloud-run secrets ${revision_id}`).digest('base64url');

export function seal(key: string, text: string): string {
  const nonce = randomBytes(nonce_bytes);
  const hidden = xor(Buffer.from(text), streamOf(key, nonce));
  return Buffer.concat([nonce, markOf(key, nonce, hidden), hidden]).toString('base64');
}

/** Throws for a text that this key has not sealed. */
export function unseal(key: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const nonce = bytes.subarray(0, nonce_bytes);
  const mark = bytes.subarray(nonce_bytes, nonce_bytes + mark_bytes);
  const hidden = bytes.subarray(nonce_bytes + mark_bytes);
  if (mark.length !== mark_bytes || !timingSafeEqual(mark, markOf(key, nonce, hidden)))
    throw new Error('the secrets of the revision were not sealed with its key');
  return xor(hidden, streamOf(key, nonce)).toString();
}

const subKey = (key: string, use: string) => createHmac('sha256', key).update(use).digest();

const markOf = (key: string, nonce: Buffer, hidden: Buffer) =>
  createHmac('sha256', subKey(key, 'mark')).update(nonce).update(hidden).digest();

const streamOf = (key: string, nonce: Buffer) => (length: number) =>
  createHash('shake256', { outputLength: length }).update(subKey(key, 'stream')).update(nonce).digest();

function xor(bytes: Buffer, stream: (length: number) => Buffer): Buffer {
  const other = stream(bytes.length);
  return Buffer.from(bytes.map((byte, at) => byte ^ (other[at] ?? 0)));
}
