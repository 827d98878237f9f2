// Signs the new entries of a chain. Promise: each checkpoint continues the previous one, entry for entry. It is in the database before it
// is in a file. Must never happen: a signature over fewer entries than the last one, or over other entries.
import type { Chain } from '@gantry/contract/audit/audit.ts';
import { headOf, type Position } from '../audit/chain.ts';
import { entryHash, openTree } from '../../../../verifier/verify.mjs';
import { Mismatch } from './mismatch.ts';
import { signNote } from './checkpoints/note.ts';
import { type ProofParts } from './parts.ts';
import { readEntries } from './read-entries.ts';
import { signedStateOf, type SignedState } from './signed-state.ts';
import * as store from './store.ts';

/** Returns the last signed entry of the chain. Throws a Mismatch, and signs nothing, if the log does not match its checkpoints. */
export async function signNew(parts: ProofParts, chain: Chain): Promise<number> {
  const signed = await signedStateOf(parts, chain);
  for (const { file, notes } of signed.behind)
    await file.append(notes.map((note) => ({ kind: 'checkpoint', chain, note })));
  const head = await headOf(parts.db, chain);
  if (head.seq === signed.size) return signed.size;
  return await signUpTo(parts, chain, { signed, head, previous: signed.note?.hash });
}

/** `previous` is the new checkpoint's reference to the previous one. */
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
          `Entry ${entry.seq} of the chain ${chain} does not follow from the checked entry ${last.seq}.`,
        );
      tree.add(entry.hash);
      last = entry;
    }
  }
  if (last.seq !== head.seq || last.hash !== head.hash)
    throw new Mismatch(`The chain ${chain} has entries up to ${last.seq}, but its head is ${head.seq}.`);
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
  // Another server signed meanwhile: the next check continues from there.
  if (!added) return signed.size;
  for (const file of [parts.own_file, parts.outside_file]) await file?.append([{ kind: 'checkpoint', chain, note }]);
  return head.seq;
}
