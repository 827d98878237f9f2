// A reader's position in the log: the last entry of each chain, by number and hash. Within a chain the numbers follow the order of commits, so
// a reader that continues after a position misses nothing. The hash reveals a log that was rolled back or rewritten.
import { chains, type Chain } from '@gantry/contract/audit/audit.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../ground/database/database.ts';
import { genesisHash } from '../../../../verifier/verify.mjs';
import { entryAt, prunedUpTo, type Position } from './chain-store.ts';

/** A missing chain is read from its beginning. */
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
        detail: 'This is not a cursor of an export or a stream of the audit log.',
      });
    positions[chain] = { seq: Number(seq), hash };
  }
  return positions;
}

/** The chains where the log differs from the position. */
export async function lostChains(db: Reader, positions: Positions): Promise<Chain[]> {
  const lost: Chain[] = [];
  for (const chain of chains) {
    const at = positions[chain];
    if (at === undefined) continue;
    // Pruned entries cannot be compared. They are not lost: the log records the prune.
    if (at.seq > 0 && at.seq <= (await prunedUpTo(db, chain))) continue;
    const hash = at.seq === 0 ? genesisHash(chain) : (await entryAt(db, chain, at.seq))?.hash;
    if (hash !== at.hash) lost.push(chain);
  }
  return lost;
}

/** Throws `bad_cursor` for a log that was rolled back or rewritten. Otherwise a reader would never notice it. */
export async function requireKnown(db: Reader, positions: Positions): Promise<void> {
  const [chain] = await lostChains(db, positions);
  if (chain === undefined) return;
  throw new Problem('bad_cursor', {
    detail: `The entry ${chain}/${positions[chain]?.seq} differs from this cursor: the log was restored, rolled back or rewritten since.`,
    hint: 'Check the log with `svc audit verify`, then start again without a cursor.',
  });
}
