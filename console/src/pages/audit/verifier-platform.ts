// The parts of Node.js that verifier/verify.mjs uses, in a browser. Its SHA-256 and Ed25519 are synchronous; those of WebCrypto are not.
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';

/** What `verify.mjs` uses of Node's `Buffer`. */
class Bytes extends Uint8Array {
  write(text: string, offset: number, encoding?: string): number {
    if (encoding === 'hex') return this.subarray(offset).setFromHex(text).written;
    return utf8.encodeInto(text, this.subarray(offset)).written;
  }

  writeUInt32BE(value: number, offset: number): void {
    new DataView(this.buffer, this.byteOffset).setUint32(offset, value);
  }

  override toString(encoding?: string): string {
    return encoding === 'hex' ? this.toHex() : new TextDecoder().decode(this);
  }
}

const utf8 = new TextEncoder();

const Buffer = {
  alloc: (size: number, fill = 0) => new Bytes(size).fill(fill),
  from: (text: string, encoding?: 'base64' | 'base64url') =>
    new Bytes(encoding === undefined ? utf8.encode(text) : Uint8Array.fromBase64(text, { alphabet: encoding })),
  concat: (parts: Uint8Array[]) => new Bytes(parts.flatMap((part) => [...part])),
};
Object.assign(globalThis, { Buffer, process: { argv: [] } });

interface Key {
  raw: Uint8Array;
  export(): { x: string };
}

/** Reads an Ed25519 key, SPKI in PEM. */
export function createPublicKey(pem: string): Key {
  const [, base64 = ''] = /-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----/.exec(pem) ?? [];
  const der = Uint8Array.fromBase64(base64.replaceAll(/\s/g, ''));
  if (der.length !== 44 || der.subarray(0, 12).toHex() !== '302a300506032b6570032100')
    throw new Error('This is not the public key of a log: Ed25519, SPKI in PEM.');
  const raw = der.subarray(12);
  return { raw, export: () => ({ x: raw.toBase64({ alphabet: 'base64url', omitPadding: true }) }) };
}

export function hash(_algorithm: 'sha256', content: string | Uint8Array): string {
  return sha256(typeof content === 'string' ? utf8.encode(content) : content).toHex();
}

export function verify(_algorithm: null, content: Uint8Array, { raw }: Key, signature: Uint8Array): boolean {
  return signature.length === 64 && ed25519.verify(signature, content, raw, { zip215: false });
}

// Only its program on the command line reads files and arguments.
export const createReadStream = absent;
export const readFileSync = absent;
export const realpathSync = absent;
export const fileURLToPath = absent;
export const parseArgs = absent;

function absent(): never {
  throw new Error('A browser has no files and no arguments.');
}
