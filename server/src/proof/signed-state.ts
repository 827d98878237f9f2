// Where a chain stands: the newest checkpoint, held against its signature, against every file that has one, and against the entry that
// it ends with. What is signed next goes on from here, so nothing is taken on trust.
import { createHash } from 'node:crypto';
import type { Chain } from '@gantry/contract/audit.ts';
import { headOf, prunedUpTo, storedEntry } from '../audit/chain.ts';
import { genesisHash, openTree, readNote, type Note } from '../../../verifier/verify.mjs';
import type { CheckpointFile } from './checkpoints/checkpoint-file.ts';
import { Mismatch } from './mismatch.ts';
import { filesOf, type ProofParts } from './parts.ts';
import * as store from './store.ts';

export interface SignedState {
  size: number;
  /** Hash of the last entry that was signed. */
  head: string;
  peaks: string[];
  note: Note | undefined;
  /** Notes that a file does not have yet: a crash came before, another server signed them, or the file is new. */
  behind: { file: CheckpointFile; notes: string[] }[];
}

/** Throws a Mismatch that says what does not fit. */
export async function signedStateOf(parts: ProofParts, chain: Chain): Promise<SignedState> {
  // Files first: what they have, the database had before.
  const inFiles = await Promise.all(
    filesOf(parts).map(async (file) => ({ file, text: (await file.newest()).get(chain) })),
  );
  const found = await newestSigned(parts, chain);
  const behind = [];
  for (const { file, text } of inFiles) behind.push({ file, notes: await missingIn(parts, { chain, file, text }) });
  const head = await headOf(parts.db, chain);
  if (head.seq < found.size)
    throw new Mismatch(`The chain ${chain} ends at ${head.seq}, and was signed up to ${found.size}.`);
  const pruned = (await prunedUpTo(parts.db, chain)) >= found.size;
  const last = await storedEntry(parts.db, chain, found.size);
  if (!pruned && found.size > 0 && last?.hash !== found.head)
    throw new Mismatch(`Entry ${found.size} of the chain ${chain} is not the one that was signed.`);
  return { ...found, behind: behind.filter(({ notes }) => notes.length > 0) };
}

export async function newestSigned({ db, key }: ProofParts, chain: Chain): Promise<Omit<SignedState, 'behind'>> {
  const newest = await store.newestCheckpoint(db, chain);
  if (newest === undefined) return { size: 0, head: genesisHash(chain), peaks: [], note: undefined };
  const note = readNote(newest.note, key.public_key);
  if (note?.chain !== chain || note.size !== newest.size)
    throw new Mismatch(
      `The newest checkpoint of the chain ${chain}, at ${newest.size}, was changed, or signed by another key than this server's.`,
    );
  if (openTree(newest.size, newest.peaks).root() !== note.root)
    throw new Mismatch(
      `What is kept of the tree of the chain ${chain} at ${newest.size} does not lead to its signed root.`,
    );
  return { size: note.size, head: note.head, peaks: newest.peaks, note };
}

async function missingIn(
  { db }: ProofParts,
  { chain, file, text }: { chain: Chain; file: CheckpointFile; text?: string | undefined },
) {
  if (text === undefined) return (await store.allCheckpoints(db, chain)).map(({ note }) => note);
  const following = await store.checkpointsAfter(db, chain, { note: text, hash: hashOf(text) });
  if (following !== undefined) return following.map(({ note }) => note);
  throw new Mismatch(
    `${file.path} ends with a checkpoint of the chain ${chain} (size ${text.split('\n')[1]}) that the log does not have: the log was set back, or checkpoints were taken away.`,
  );
}

export const hashOf = (note: string): string => createHash('sha256').update(note).digest('hex');
