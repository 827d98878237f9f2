// Signs what is new in a chain. Promise: each checkpoint continues the one before it, entry for entry, and is in the database before it is in
// a file. Must never happen: a signature over fewer entries than the last, or over entries that do not follow from it.
import type { Chain } from '@gantry/contract/audit.ts';
import { headOf, type Position } from '../audit/chain.ts';
import { entryHash, openTree } from '../../../verifier/verify.mjs';
import { Mismatch } from './mismatch.ts';
import { signNote } from './checkpoints/note.ts';
import { type ProofParts } from './parts.ts';
import { readEntries } from './read-entries.ts';
import { signedStateOf, type SignedState } from './signed-state.ts';
import * as store from './store.ts';

/** Answers up to where the chain is signed now. Throws a Mismatch, and signs nothing, when the log is not what was signed before. */
export async function signNew(parts: ProofParts, chain: Chain): Promise<number> {
  const signed = await signedStateOf(parts, chain);
  for (const { file, notes } of signed.behind)
    await file.append(notes.map((note) => ({ kind: 'checkpoint', chain, note })));
  const head = await headOf(parts.db, chain);
  if (head.seq === signed.size) return signed.size;
  return await signUpTo(parts, chain, { signed, head, previous: signed.note?.hash });
}

/** `previous` is what the new checkpoint says of the one before it. */
export async function signUpTo(
  parts: ProofParts,
  chain: Chain,
  { signed, head, previous }: { signed: Omit<SignedState, 'behind'>; head: Position; previous: string | undefined },
): Promise<number> {
  const { db, key, log_name } = parts;
  const tree = openTree(signed.size, signed.peaks);
  let last = { seq: signed.size, hash: signed.head };
  for await (const entries of readEntries(db, chain, { after: signed.size, up_to: head.seq })) {
    for (const entry of entries) {
      if (entry.seq !== last.seq + 1 || entry.prev !== last.hash || entryHash(entry) !== entry.hash)
        throw new Mismatch(
          `Entry ${entry.seq} of the chain ${chain} does not follow from ${last.seq}, up to which it was checked.`,
        );
      tree.add(entry.hash);
      last = entry;
    }
  }
  if (last.seq !== head.seq || last.hash !== head.hash)
    throw new Mismatch(`The chain ${chain} has entries up to ${last.seq}, and its head says ${head.seq}.`);
  const time = new Date().toISOString();
  const origin = `${log_name}/${chain}`;
  const note = signNote({ origin, size: head.seq, root: tree.root(), head: head.hash, previous, time }, key);
  const added = await store.addCheckpoint(db, {
    chain,
    size: head.seq,
    note,
    peaks: tree.peaks(),
    after_size: signed.size,
  });
  // Another server signed meanwhile: the next look goes on from there.
  if (!added) return signed.size;
  for (const file of [parts.own_file, parts.outside_file]) await file?.append([{ kind: 'checkpoint', chain, note }]);
  return head.seq;
}
