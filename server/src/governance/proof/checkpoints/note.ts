import { sign } from 'node:crypto';
import { keyId } from '../../../../../verifier/verify.mjs';
import type { CheckpointKey } from '../key.ts';

export interface Checkpoint {
  /** `gantry/<installation>/<chain>` */
  origin: string;
  size: number;
  /** Hex, as the following. */
  root: string;
  head: string;
  /** The hash of the previous checkpoint; undefined for the first. */
  previous: string | undefined;
  time: string;
}

/** A checkpoint in the format of C2SP (tlog-checkpoint, signed-note). The lines after the root are our extension. */
export function signNote({ origin, size, root, head, previous, time }: Checkpoint, key: CheckpointKey): string {
  const lines = [origin, size, Buffer.from(root, 'hex').toString('base64')];
  const text = `${[...lines, `time ${time}`, `previous ${previous ?? 'none'}`, `head ${head}`].join('\n')}\n`;
  const id = Buffer.from(keyId(origin, key.public_key), 'hex');
  const signature = Buffer.concat([id, sign(null, Buffer.from(text), key.private_key)]).toString('base64');
  return `${text}\n— ${origin} ${signature}\n`;
}
