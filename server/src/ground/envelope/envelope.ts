// Texts at rest: AES-256-GCM under the stored key `envelope`. A sealed text names its key and is bound to its row, so it opens in no other
// row. Bytes: the name of the key (8), nonce (12), tag (16), ciphertext.
import { createHash } from 'node:crypto';
import { unwrap, wrap } from '../derive-key.ts';

export interface Envelope {
  seal: (text: string, row: SealedRow) => Buffer;
  /** Throws for another row, another key or a changed byte. */
  open: (sealed: Buffer, row: SealedRow) => string;
}

interface SealedRow {
  table: string;
  id: string;
}

const name_bytes = 8;

export function openEnvelope(key: Buffer): Envelope {
  const name = createHash('sha256').update(key).digest().subarray(0, name_bytes);
  const bound = ({ table, id }: SealedRow) => Buffer.from(JSON.stringify([name.toString('hex'), table, id]));
  return {
    seal: (text, row) => Buffer.concat([name, wrap(key, Buffer.from(text), bound(row))]),
    open: (sealed, row) => {
      if (!sealed.subarray(0, name_bytes).equals(name)) throw new Error(`${row.table} is sealed under another key`);
      return unwrap(key, sealed.subarray(name_bytes), bound(row)).toString();
    },
  };
}
