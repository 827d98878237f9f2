// How far somebody has read the log: of each chain the last entry, by number and hash. Within a chain the order of numbers is the order of
// commit, so that whoever goes on behind a position misses nothing; the hash tells a log that was rolled back or rewritten since.
import { chains, type Chain } from '@gantry/contract/audit.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../database/database.ts';
import { genesisHash } from '../../../verifier/verify.mjs';
import { entryAt, prunedUpTo, type Position } from './chain-store.ts';

/** A chain that is not named is read from its beginning. */
export type Positions = Partial<Record<Chain, Position>>;

/** `signin:12:ab…,governance:7:cd…` */
export function printPositions(positions: Positions): string {
  return chains
    .flatMap((chain) => {
      const at = positions[chain];
      return at === undefined ? [] : [`${chain}:${at.seq}:${at.hash}`];
    })
    .join(',');
}

/** Throws `bad_cursor`. */
export function readPositions(text: string): Positions {
  const positions: Positions = {};
  for (const part of text.split(',')) {
    const [, name, seq, hash] = /^([a-z]+):(\d{1,15}):([0-9a-f]{64})$/.exec(part) ?? [];
    const chain = chains.find((each) => each === name);
    if (chain === undefined || seq === undefined || hash === undefined || chain in positions)
      throw new Problem('bad_cursor', {
        detail: 'This is not a cursor as an export or a stream of the audit log gives it.',
      });
    positions[chain] = { seq: Number(seq), hash };
  }
  return positions;
}

/** The chains in which the log does not hold what the position says. */
export async function lostChains(db: Reader, positions: Positions): Promise<Chain[]> {
  const lost: Chain[] = [];
  for (const chain of chains) {
    const at = positions[chain];
    if (at === undefined) continue;
    // What was pruned since cannot be compared, and is not lost: that it was pruned is on the record.
    if (at.seq > 0 && at.seq <= (await prunedUpTo(db, chain))) continue;
    const hash = at.seq === 0 ? genesisHash(chain) : (await entryAt(db, chain, at.seq))?.hash;
    if (hash !== at.hash) lost.push(chain);
  }
  return lost;
}

/** Throws `bad_cursor` for a log that was rolled back or rewritten: who went on there would never hear of it. */
export async function requireKnown(db: Reader, positions: Positions): Promise<void> {
  const [chain] = await lostChains(db, positions);
  if (chain === undefined) return;
  throw new Problem('bad_cursor', {
    detail: `The log does not hold ${chain}/${positions[chain]?.seq} as this cursor knew it: it was restored, rolled back or rewritten since.`,
    hint: 'Look into it with `svc audit verify`, and start again without a cursor.',
  });
}
