// After a restore the checkpoints outside are ahead of the log, and nothing is signed any more. Resealing goes on from there and says so: an
// entry names the checkpoint whose entries are lost and where the log went on, and the next checkpoint names the lost one as the one before
// it. Nothing is written anew, and what is lost stays known as lost. Run on the host, with the key.
import { chains, type Chain } from '@gantry/contract/audit.ts';
import { authorize } from '../../access/authorize.ts';
import { systemCaller } from '../../access/caller.ts';
import { change } from '../../access/change.ts';
import { theOrg } from '../../access/subject.ts';
import { headOf } from '../../audit/chain.ts';
import { readNote, type Note } from '../../../../verifier/verify.mjs';
import { filesOf, type ProofParts } from '../parts.ts';
import { Mismatch } from '../mismatch.ts';
import { signNew, signUpTo } from '../sign.ts';
import { hashOf, newestSigned } from '../signed-state.ts';
import * as store from '../store.ts';

export interface Resealed {
  chain: Chain;
  /** Entries that were signed and are not there any more are those after `kept`, up to this one. */
  lost: number;
  kept: number;
}

/** Answers the chains that were resealed: none when every file ends with a checkpoint that the log has. */
export async function reseal(parts: ProofParts, { reason, by }: { reason: string; by: string }): Promise<Resealed[]> {
  const resealed: Resealed[] = [];
  for (const chain of chains) {
    const lost = await newestLost(parts, chain);
    if (lost !== undefined) resealed.push(await resealChain(parts, chain, { lost, reason, by }));
    await signNew(parts, chain);
  }
  return resealed;
}

/** The newest checkpoint, of any file, that the log does not know of. */
async function newestLost(parts: ProofParts, chain: Chain): Promise<Note | undefined> {
  const lost: Note[] = [];
  for (const file of filesOf(parts)) {
    const text = (await file.newest()).get(chain);
    if (text === undefined) continue;
    if ((await store.checkpointsAfter(parts.db, chain, { note: text, hash: hashOf(text) })) !== undefined) continue;
    const note = readNote(text, parts.key.public_key);
    if (note?.chain !== chain)
      throw new Mismatch(
        `${file.path} ends with a checkpoint of the chain ${chain} that this server's key has not signed.`,
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
