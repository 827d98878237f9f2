import type { Chain } from '@gantry/contract/audit.ts';
import type { Reader } from '../../database/database.ts';
import type { CheckpointLine } from './checkpoint-file.ts';
import * as store from '../store.ts';

/** The checkpoints over entries behind a number, as lines of an export: what verifier/verify.mjs needs beside the entries. */
export async function* checkpointLines(db: Reader, chain: Chain, after: number): AsyncGenerator<CheckpointLine> {
  for (const { note } of await store.allCheckpoints(db, chain, after + 1)) yield { kind: 'checkpoint', chain, note };
}
