import type { Database } from '../database/database.ts';
import { chains } from '@gantry/contract/audit.ts';
import type { CheckpointLine } from './checkpoint-file.ts';
import * as store from './store.ts';

/** Every checkpoint as a line of an export: what verifier/verify.mjs needs beside the entries. */
export async function* checkpointLines(db: Database): AsyncIterable<CheckpointLine> {
  for (const chain of chains)
    for (const { note } of await store.allCheckpoints(db, chain)) yield { kind: 'checkpoint', chain, note };
}
