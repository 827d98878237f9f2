// Texts and bytes at rest: AES-256-GCM under the stored key `envelope`. What is sealed names its key and is bound to its row, so it opens in no
// other row. Its bytes: the name of the key (8), nonce (12), tag (16), ciphertext.
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { unwrap, wrap } from '../derive-key.ts';

export interface Envelope {
  seal: (text: string, row: SealedRow) => Buffer;
  /** Throws for another row, another key or a changed byte. */
  open: (sealed: Buffer, row: SealedRow) => string;
  sealBytes: (bytes: Buffer, row: SealedRow) => Buffer;
  /** As `open`. */
  openBytes: (sealed: Buffer, row: SealedRow) => Buffer;
  /** A keyed hash, to find a row by a text that is only stored sealed. Another table has other hashes. */
  hash: (text: string, table: string) => Buffer;
}

export interface SealedRow {
  table: string;
  id: string;
}

const name_bytes = 8;

export function openEnvelope(key: Buffer): Envelope {
  const name = createHash('sha256').update(key).digest().subarray(0, name_bytes);
  const bound = ({ table, id }: SealedRow) => Buffer.from(JSON.stringify([name.toString('hex'), table, id]));
  const sealBytes: Envelope['sealBytes'] = (bytes, row) => Buffer.concat([name, wrap(key, bytes, bound(row))]);
  const openBytes: Envelope['openBytes'] = (sealed, row) => {
    if (!sealed.subarray(0, name_bytes).equals(name)) throw new Error(`${row.table} is sealed under another key`);
    return unwrap(key, sealed.subarray(name_bytes), bound(row));
  };
  const hash_key = Buffer.from(hkdfSync('sha256', key, 'gantry', 'envelope-hash', 32));
  return {
    hash: (text, table) =>
      createHmac('sha256', hash_key)
        .update(JSON.stringify([table, text]))
        .digest(),
    sealBytes,
    openBytes,
    seal: (text, row) => sealBytes(Buffer.from(text), row),
    open: (sealed, row) => openBytes(sealed, row).toString(),
  };
}
