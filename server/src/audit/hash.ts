// What the chain hashes, computed without the database's own function, so that one can catch the other.
import { createHash } from 'node:crypto';

export interface Hashed {
  chain: string;
  seq: number;
  occurred_at: string;
  body: string;
}

export function entryHash(entry: Hashed, prev: Buffer): Buffer {
  const seq = Buffer.alloc(8);
  seq.writeBigInt64BE(BigInt(entry.seq));
  const hash = createHash('sha256').update(Buffer.of(0)).update(prev);
  for (const part of [Buffer.from(entry.chain), seq, Buffer.from(entry.occurred_at), Buffer.from(entry.body)]) {
    const length = Buffer.alloc(4);
    length.writeInt32BE(part.length);
    hash.update(length).update(part);
  }
  return hash.digest();
}

/** The hash that a chain's first entry points back to. */
export function genesisHash(chain: string): Buffer {
  return createHash('sha256').update(chain).digest();
}
