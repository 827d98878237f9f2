// Checkpoints in the CLI: the newest ones in a file, and the check of their signatures against a known key.
import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Verification } from '@gantry/contract/audit/audit.ts';
import { linesOf, readNote } from '../../../verifier/verify.mjs';
import { misuse } from '../refusal.ts';

/** The newest checkpoint of each chain in a file of consecutive checkpoints. */
export async function newestCheckpoints(file: string): Promise<string> {
  const newest = new Map<string, string>();
  try {
    for (const line of (await Array.fromAsync(linesOf(file))).flat()) {
      if (line === '') continue;
      const { chain, note } = JSON.parse(line) as { chain: unknown; note: unknown }; // checked here
      if (typeof chain !== 'string' || typeof note !== 'string') throw new Error('a line is not a checkpoint');
      newest.set(chain, note);
    }
  } catch (cause) {
    throw misuse(`${file} cannot be read as checkpoints: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (newest.size === 0) throw misuse(`${file} has no checkpoint`);
  return [...newest.values()].join('');
}

/** The chains whose newest checkpoint has no signature of this key. */
export async function unsignedBy(pubkey: string, { chains }: Verification): Promise<string[]> {
  const key = await readKey(pubkey);
  return chains
    .filter(({ checkpoint }) => checkpoint !== null && readNote(checkpoint, key) === undefined)
    .map(({ chain }) => chain);
}

async function readKey(file: string) {
  try {
    return createPublicKey(await readFile(file));
  } catch (cause) {
    throw misuse(`${file} has no public key: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
