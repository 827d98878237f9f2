// Retention. Promise: deleted entries were signed, the log records the prune and its user, and the rest still verifies. Must never happen: any
// other delete. The database's trigger accepts deletes only behind the horizon, and the horizon moves only with the entry of the prune. It
// runs on the host as the owner; the service itself cannot prune.
import { chains, type Chain } from '@gantry/contract/audit/audit.ts';
import { authorize } from '../access/authorize.ts';
import { systemCaller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { theOrg } from '../access/subject.ts';
import { deleteEntries, prunedUpTo } from '../audit/chain.ts';
import { readNote } from '../../../../verifier/verify.mjs';
import { Mismatch } from './mismatch.ts';
import type { ProofParts } from './parts.ts';
import { signNew } from './sign.ts';
import * as store from './store.ts';

export interface Pruned {
  chain: Chain;
  /** Entries up to this one are now deleted; null if none was old enough. */
  up_to: number | null;
  deleted: number;
}

/** Deletes entries older than `before`, up to a checkpoint. Throws a Mismatch if the log does not match its checkpoints. */
export async function prune(
  parts: ProofParts,
  { before, reason, by }: { before: Date; reason: string; by: string },
): Promise<Pruned[]> {
  const pruned: Pruned[] = [];
  for (const chain of chains) {
    await signNew(parts, chain);
    pruned.push(await pruneChain(parts, chain, { before, reason, by }));
  }
  return pruned;
}

async function pruneChain(
  { db, key }: ProofParts,
  chain: Chain,
  { before, reason, by }: { before: Date; reason: string; by: string },
): Promise<Pruned> {
  const grant = authorize(systemCaller('system.prune'), 'system.prune', theOrg);
  return await change(db, grant, `${chain}.pruned`, async (tx, note) => {
    const at = `${before.toISOString().slice(0, -1)}000Z`;
    const checkpoint = await store.checkpointBefore(tx, chain, at);
    const done = await prunedUpTo(tx, chain);
    if (checkpoint === undefined || checkpoint.size <= done) return { chain, up_to: null, deleted: 0 };
    if (readNote(checkpoint.note, key.public_key) === undefined)
      throw new Mismatch(`The checkpoint of the chain ${chain} at ${checkpoint.size} does not match its signature.`);
    const { size, peaks } = checkpoint;
    await tx.write('horizon', store.horizonTo(chain, size));
    await deleteEntries(tx, chain, size);
    note({ chain, up_to: size, before: before.toISOString(), checkpoint: checkpoint.note, peaks, reason, by });
    return { chain, up_to: size, deleted: size - done };
  });
}
