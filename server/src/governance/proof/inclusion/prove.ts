import type { Chain, Proof } from '@gantry/contract/audit/audit.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { storedEntry } from '../../audit/chain.ts';
import { pathTo } from './tree-path.ts';
import type { ProofParts } from '../parts.ts';
import { readEntries } from '../read-entries.ts';
import * as store from '../store.ts';

/**
 * Proves that an entry is in the signed log. The proof has the entry, the first checkpoint over it, and the hashes between them. The cost
 * depends on the distance of two checkpoints, not on the length of the log. `seal` first signs new entries, so the newest entry has a proof
 * too.
 */
export async function prove(
  { db }: ProofParts,
  { seal, chain, seq }: { seal: () => Promise<void>; chain: Chain; seq: number },
): Promise<Proof> {
  const entry = await storedEntry(db, chain, seq);
  if (entry === undefined) throw new Problem('not_found', { detail: `The entry ${chain}/${seq} does not exist.` });
  let around = await store.checkpointsAround(db, chain, seq);
  if (around.covering === undefined) {
    await seal();
    around = await store.checkpointsAround(db, chain, seq);
  }
  const { covering, before } = around;
  if (covering === undefined)
    throw new Problem('not_provable', {
      detail: `No signed checkpoint covers ${chain}/${seq}: the log does not match its checkpoints.`,
    });
  const known = before ?? { size: 0, peaks: [] };
  const newer = readEntries(db, chain, { after: known.size, up_to: covering.size });
  const leaves = (await Array.fromAsync(newer)).flat().map(({ hash }) => hash);
  const path = pathTo(seq - 1, covering.size, { size: known.size, peaks: known.peaks, leaves });
  return { kind: 'proof', entry: { ...entry, chain }, checkpoint: covering.note, path };
}
