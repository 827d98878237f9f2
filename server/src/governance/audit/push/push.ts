// Copies of the log to places that its administrators cannot reach. Promise: every entry arrives at every destination at least once, in the
// order of its chain, also after a crash. The position moves only after the receiver has accepted the entries. One server sends at a time; a
// takeover during a send can only repeat entries. A failing destination delays no other destination and no change, and needs no memory: the
// log itself is the queue.
import { chains, type Chain } from '@gantry/contract/audit/audit.ts';
import { genesisHash } from '../../../../../verifier/verify.mjs';
import type { Database } from '../../../ground/database/database.ts';
import { enqueue } from '../../../ground/queue/queue.ts';
import type { Queue } from '../../../ground/queue/work.ts';
import { headOf, type HeadRow, type Position } from '../chain-store.ts';
import { toLine } from '../export.ts';
import { readOn } from '../follow.ts';
import { lostChains, type Positions } from '../positions.ts';
import { recentHeads } from '../recent-heads.ts';
import type { Destination } from './destination.ts';
import * as store from './push-store.ts';

export interface PushTimes {
  /** The time until another server takes over from a silent one. */
  lease_ms?: number;
  /** The delay after the first failure. It doubles with each further one. */
  retry_ms?: number;
  longest_retry_ms?: number;
  send_ms?: number;
}

const limit = 500;
const max_bytes = 1_000_000;

/** A job is the next batch of one chain. It stays until a send succeeds. */
export function pushing(
  db: Database,
  to: Destination,
  onError: (error: Error) => void,
  { lease_ms = 60_000, retry_ms = 1000, longest_retry_ms = 300_000, send_ms = 30_000 }: PushTimes = {},
): Queue {
  const waits = { first_wait_ms: retry_ms, longest_wait_ms: longest_retry_ms };
  const rules = { name: store.queueOf(to.name), at_a_time: 1, lease_ms, ...waits };
  return {
    ...rules,
    feed: async () => {
      const positions = await store.positions(db, to.name);
      const behind = (await recentHeads(db)).filter((head) => !isThere(positions, head));
      const jobs = behind.map(({ chain }) => ({ key: chain }));
      return (await enqueue(db, rules, jobs)).length > 0;
    },
    work: async ({ key, attempts }, stopping) => {
      const chain = chains.find((each) => each === key);
      if (chain === undefined) return { state: 'dropped' };
      try {
        const signal = AbortSignal.any([stopping, AbortSignal.timeout(send_ms)]);
        const reached = await pushNext(db, to, chain, signal);
        return { state: 'done', record: async (tx) => await store.advance(tx, to.name, chain, reached) };
      } catch (error) {
        const problem = reason(error);
        // Reported once at the first failure. Afterwards the destination's state shows it.
        if (attempts === 1 && !stopping.aborted)
          onError(new Error(`the audit log does not reach ${to.name}: ${problem}`, { cause: error }));
        return { state: 'retry', problem };
      }
    },
  };
}

async function pushNext(db: Database, to: Destination, chain: Chain, signal: AbortSignal): Promise<Position> {
  const head = { chain, ...(await headOf(db, chain)) };
  const at = await restartIfLost(db, to.name, chain);
  const { rows, reached } = await readOn(db, head, { after: at, limit, max_bytes });
  if (rows.length > 0) await to.send(rows.map(toLine), signal);
  else if (at < head.seq) throw new Error(`entries of the chain ${chain} after ${at} are missing`);
  return reached;
}

// A restored log has fewer entries than were sent. Its new entries with the same numbers would never arrive.
async function restartIfLost(db: Database, destination: string, chain: Chain): Promise<number> {
  const { [chain]: at = { seq: 0, hash: genesisHash(chain) } } = await store.positions(db, destination);
  if ((await lostChains(db, { [chain]: at })).length === 0) return at.seq;
  const notice = `At ${new Date().toISOString()} the entry ${chain}/${at.seq} differed from the sent one: the log was restored, rolled back or rewritten. The whole chain was sent again.`;
  await store.restart(db, destination, chain, notice);
  return 0;
}

function isThere(positions: Positions, { chain, seq, hash }: HeadRow): boolean {
  const at = positions[chain];
  return at === undefined ? seq === 0 : at.seq === seq && at.hash === hash;
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed without a reason';
  // A stop is no failure, so an abort means a timeout.
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'it did not answer in time';
  // The message is empty if all addresses of a name failed.
  const text = error.message === '' && 'code' in error ? String(error.code) : error.message;
  return text.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 300);
}
