// Copies of the log to where its administrators cannot reach. Promise: every entry arrives at every destination at least once, those of a
// chain in their order, whatever is killed meanwhile; the position moves only after the other side has taken what it passes. One server
// sends at a time; one that takes over while another still sends repeats entries at most. A destination that fails delays no other and
// no change, and costs no memory: what waits is the log itself.
import { chains, type Chain } from '@gantry/contract/audit.ts';
import { genesisHash } from '../../../../verifier/verify.mjs';
import type { Database } from '../../database/database.ts';
import { enqueue } from '../../queue/queue.ts';
import type { Queue } from '../../queue/work.ts';
import { headOf, type HeadRow, type Position } from '../chain-store.ts';
import { toLine } from '../export.ts';
import { readOn } from '../follow.ts';
import { lostChains, type Positions } from '../positions.ts';
import { recentHeads } from '../recent-heads.ts';
import type { Destination } from './destination.ts';
import * as store from './push-store.ts';

export interface PushTimes {
  /** How long a destination belongs to a server that says nothing more. */
  lease_ms?: number;
  /** After the first failure; twice as long after each further one. */
  retry_ms?: number;
  longest_retry_ms?: number;
  send_ms?: number;
}

const limit = 500;
const max_bytes = 1_000_000;

/** A job is the next batch of a chain: one that fails goes on failing as long as the job is there. */
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
        // Reported once, when it begins to fail; from then on the destination's state says it.
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
  else if (at < head.seq) throw new Error(`entries of the chain ${chain} behind ${at} are gone`);
  return reached;
}

// A log that was restored from a backup has fewer entries than were sent, and then others under the same numbers: those would never arrive.
async function restartIfLost(db: Database, destination: string, chain: Chain): Promise<number> {
  const { [chain]: at = { seq: 0, hash: genesisHash(chain) } } = await store.positions(db, destination);
  if ((await lostChains(db, { [chain]: at })).length === 0) return at.seq;
  const notice = `At ${new Date().toISOString()} the log did not hold ${chain}/${at.seq} as it had been sent: it was restored, rolled back or rewritten. All of it was sent again.`;
  await store.restart(db, destination, chain, notice);
  return 0;
}

function isThere(positions: Positions, { chain, seq, hash }: HeadRow): boolean {
  const at = positions[chain];
  return at === undefined ? seq === 0 : at.seq === seq && at.hash === hash;
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed without saying why';
  // A stop is no failure, so what was aborted ran out of time.
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'it did not answer in time';
  // Where every address of a name was tried, the message is empty.
  const text = error.message === '' && 'code' in error ? String(error.code) : error.message;
  return text.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 300);
}
