import type { Chain } from '@gantry/contract/audit/audit.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { CheckpointLine } from './checkpoint-file.ts';
import * as store from '../store.ts';

/** The checkpoints over entries after a number, as lines of an export. verifier/verify.mjs needs them beside the entries. */
export async function* checkpointLines(db: Reader, chain: Chain, after: number): AsyncGenerator<CheckpointLine> {
  for (const { note } of await store.allCheckpoints(db, chain, after + 1)) yield { kind: 'checkpoint', chain, note };
}
