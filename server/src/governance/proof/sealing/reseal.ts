// After a restore the outside checkpoints are ahead of the log, and signing stops. A reseal continues from there and records it. Its entry
// names the checkpoint with the lost entries and the point where the log continued. The next checkpoint names the lost one as its previous
// one. Nothing is rewritten, and lost entries stay known as lost. It runs on the host, with the key.
import { chains, type Chain } from '@gantry/contract/audit/audit.ts';
import { authorize } from '../../access/authorize.ts';
import { systemCaller } from '../../access/caller.ts';
import { change } from '../../access/change.ts';
import { theOrg } from '../../access/subject.ts';
import { headOf } from '../../audit/chain.ts';
import { readNote, type Note } from '../../../../../verifier/verify.mjs';
import { filesOf, type ProofParts } from '../parts.ts';
import { Mismatch } from '../mismatch.ts';
import { signNew, signUpTo } from '../sign.ts';
import { hashOf, newestSigned } from '../signed-state.ts';
import * as store from '../store.ts';

export interface Resealed {
  chain: Chain;
  /** The lost signed entries are those after `kept`, up to this one. */
  lost: number;
  kept: number;
}

/** Returns the resealed chains: none if every file ends with a checkpoint of the log. */
export async function reseal(parts: ProofParts, { reason, by }: { reason: string; by: string }): Promise<Resealed[]> {
  const resealed: Resealed[] = [];
  for (const chain of chains) {
    const lost = await newestLost(parts, chain);
    if (lost !== undefined) resealed.push(await resealChain(parts, chain, { lost, reason, by }));
    await signNew(parts, chain);
  }
  return resealed;
}

/** The newest checkpoint of any file that the log does not have. */
async function newestLost(parts: ProofParts, chain: Chain): Promise<Note | undefined> {
  const lost: Note[] = [];
  for (const file of filesOf(parts)) {
    const text = (await file.newest()).get(chain);
    if (text === undefined) continue;
    if ((await store.checkpointsAfter(parts.db, chain, { note: text, hash: hashOf(text) })) !== undefined) continue;
    const note = readNote(text, parts.key.public_key);
    if (note?.chain !== chain)
      throw new Mismatch(
        `${file.path} ends with a checkpoint of the chain ${chain} without a signature of this server's key.`,
      );
    lost.push(note);
  }
  return lost.toSorted((a, b) => (a.time < b.time ? 1 : -1))[0];
}

async function resealChain(
  parts: ProofParts,
  chain: Chain,
  { lost, reason, by }: { lost: Note; reason: string; by: string },
): Promise<Resealed> {
  const signed = await newestSigned(parts, chain);
  const grant = authorize(systemCaller('system.reseal'), 'system.reseal', theOrg);
  const head = await headOf(parts.db, chain);
  await change(parts.db, grant, `${chain}.resealed`, async (_tx, note) =>
    note({ chain, lost: lost.text, lost_head: lost.head, kept: signed.size, head, reason, by }),
  );
  await signUpTo(parts, chain, {
    signed,
    head: await headOf(parts.db, chain),
    previous: lost.hash,
  });
  return { chain, lost: lost.size, kept: signed.size };
}
