// The signed state of a chain: the newest checkpoint. It is checked against its signature, every file, and its last entry. The next
// signature continues from here, so nothing is trusted unchecked.
import { createHash } from 'node:crypto';
import type { Chain } from '@gantry/contract/audit/audit.ts';
import { headOf, prunedUpTo, storedEntry } from '../audit/chain.ts';
import { genesisHash, openTree, readNote, type Note } from '../../../../verifier/verify.mjs';
import type { CheckpointFile } from './checkpoints/checkpoint-file.ts';
import { Mismatch } from './mismatch.ts';
import { filesOf, type ProofParts } from './parts.ts';
import * as store from './store.ts';

export interface SignedState {
  size: number;
  /** The hash of the last signed entry. */
  head: string;
  peaks: string[];
  note: Note | undefined;
  /** Notes that a file lacks after a crash, after a signature of another server, or because it is new. */
  behind: { file: CheckpointFile; notes: string[] }[];
}

/** Throws a Mismatch that names the difference. */
export async function signedStateOf(parts: ProofParts, chain: Chain): Promise<SignedState> {
  // Files first: the database has every note before a file does.
  const inFiles = await Promise.all(
    filesOf(parts).map(async (file) => ({ file, text: (await file.newest()).get(chain) })),
  );
  const found = await newestSigned(parts, chain);
  const behind = [];
  for (const { file, text } of inFiles) behind.push({ file, notes: await missingIn(parts, { chain, file, text }) });
  const head = await headOf(parts.db, chain);
  if (head.seq < found.size)
    throw new Mismatch(`The chain ${chain} ends at ${head.seq}, but it was signed up to ${found.size}.`);
  const pruned = (await prunedUpTo(parts.db, chain)) >= found.size;
  const last = await storedEntry(parts.db, chain, found.size);
  if (!pruned && found.size > 0 && last?.hash !== found.head)
    throw new Mismatch(`Entry ${found.size} of the chain ${chain} differs from the signed one.`);
  return { ...found, behind: behind.filter(({ notes }) => notes.length > 0) };
}

export async function newestSigned({ db, key }: ProofParts, chain: Chain): Promise<Omit<SignedState, 'behind'>> {
  const newest = await store.newestCheckpoint(db, chain);
  if (newest === undefined) return { size: 0, head: genesisHash(chain), peaks: [], note: undefined };
  const note = readNote(newest.note, key.public_key);
  if (note?.chain !== chain || note.size !== newest.size)
    throw new Mismatch(
      `The newest checkpoint of the chain ${chain}, at ${newest.size}, was changed, or signed with a different key.`,
    );
  if (openTree(newest.size, newest.peaks).root() !== note.root)
    throw new Mismatch(`The stored tree of the chain ${chain} at ${newest.size} does not match its signed root.`);
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
    `${file.path} ends with a checkpoint of the chain ${chain} (size ${text.split('\n')[1]}). The log does not have it: the log was rolled back, or checkpoints were deleted.`,
  );
}

export const hashOf = (note: string): string => createHash('sha256').update(note).digest('hex');
