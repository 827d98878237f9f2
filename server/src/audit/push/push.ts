// Copies of the log to where its administrators cannot reach. Promise: every entry arrives at every destination at least once, those of a
// chain in their order, whatever is killed meanwhile; the position moves only after the other side has taken what it passes. One server
// sends at a time; one that takes over while another still sends repeats entries at most. A destination that fails delays no other and
// no change, and costs no memory: what waits is the log itself.
import type { Database } from '../../database/database.ts';
import { bell } from '../../runs/bell.ts';
import { toLine } from '../export.ts';
import { lostChains, type Positions } from '../positions.ts';
import { recentHeads } from '../recent-heads.ts';
import { entriesWithin, heads, type HeadRow } from '../chain-store.ts';
import type { Destination } from './destination.ts';
import * as store from './push-store.ts';

export interface PusherSettings {
  /** Names this server; another name for every process. */
  owner: string;
  onError: (error: Error) => void;
  poll_ms?: number;
  /** How long a destination belongs to a server that says nothing more. */
  lease_ms?: number;
  /** After the first failure; twice as long after each further one. */
  retry_ms?: number;
  longest_retry_ms?: number;
  send_ms?: number;
}

export interface Pusher {
  stop(): Promise<void>;
}

const most = 500;
const most_bytes = 1_000_000;

// What is under way at a stop may end: broken off, it would come twice.
const ending_ms = 3000;

export function startPusher(db: Database, to: readonly Destination[], settings: PusherSettings): Pusher {
  const stopping = new AbortController();
  const cut = new AbortController();
  const signals = { stopping: stopping.signal, cut: cut.signal };
  const all = to.map(async (destination) => await pushForEver(db, destination, settings, signals));
  return {
    stop: async () => {
      stopping.abort();
      const timer = setTimeout(() => cut.abort(), ending_ms);
      await Promise.all(all);
      clearTimeout(timer);
    },
  };
}

interface Signals {
  /** Nothing more is begun. */
  stopping: AbortSignal;
  /** What is under way breaks off. */
  cut: AbortSignal;
}

async function pushForEver(
  db: Database,
  destination: Destination,
  { owner, onError, ...times }: PusherSettings,
  { stopping, cut }: Signals,
): Promise<void> {
  const { poll_ms = 1000, lease_ms = 60_000, retry_ms = 1000, longest_retry_ms = 300_000, send_ms = 30_000 } = times;
  const holder = { destination: destination.name, owner, lease_ms };
  const pause = bell();
  for (let failures = 0; !stopping.aborted;) {
    try {
      const moved = await pushSome(db, destination, holder, { send_ms, cut });
      failures = 0;
      if (!moved) await pause.heard(poll_ms, stopping);
    } catch (error) {
      if (stopping.aborted) break;
      await recordFailure(db, destination.name, error, onError);
      const wait = Math.min(longest_retry_ms, retry_ms * 2 ** failures++);
      await pause.heard(wait * (0.75 + Math.random() / 2), stopping);
    }
  }
  await destination.close();
  await store.release(db, holder).catch(onError);
}

/** One batch of each chain that has more; false when there was nothing to do, or another server does it. */
async function pushSome(
  db: Database,
  destination: Destination,
  holder: store.Holder,
  { send_ms, cut }: { send_ms: number; cut: AbortSignal },
): Promise<boolean> {
  const now = await recentHeads(db);
  if (isThere((await store.find(db, destination.name))?.positions, now)) return false;
  await store.introduce(db, destination.name);
  const positions = await store.claim(db, holder);
  if (positions === undefined) return false;
  await restartLost(db, destination.name, positions);
  for (const { chain, seq: up_to } of await heads(db)) {
    const after = positions[chain]?.seq ?? 0;
    if (after === up_to) continue;
    const rows = await entriesWithin(db, { chain, after, up_to, most, most_bytes });
    const last = rows.at(-1);
    if (last === undefined) throw new Error(`entries of the chain ${chain} behind ${after} are gone`);
    await destination.send(rows.map(toLine), AbortSignal.any([cut, AbortSignal.timeout(send_ms)]));
    const position = { seq: last.seq, hash: last.hash };
    if (!(await store.advance(db, holder, chain, position))) return false;
  }
  return true;
}

// A log that was restored from a backup has fewer entries than were sent, and then others under the same numbers: those would never arrive.
async function restartLost(db: Database, destination: string, positions: Positions): Promise<void> {
  const lost = await lostChains(db, positions);
  if (lost.length === 0) return;
  const which = lost.map((chain) => `${chain}/${positions[chain]?.seq}`).join(' and ');
  const at = new Date().toISOString();
  await store.restart(
    db,
    destination,
    lost,
    `At ${at} the log did not hold ${which} as it had been sent: it was restored, rolled back or rewritten. All of it was sent again.`,
  );
  for (const chain of lost) delete positions[chain];
}

function isThere(positions: Positions | undefined, now: readonly HeadRow[]): boolean {
  if (positions === undefined) return false;
  return now.every(({ chain, seq, hash }) => {
    const at = positions[chain];
    return at === undefined ? seq === 0 : at.seq === seq && at.hash === hash;
  });
}

// Said once, when it begins to fail; from then on the destination's state says it.
async function recordFailure(
  db: Database,
  destination: string,
  error: unknown,
  onError: (error: Error) => void,
): Promise<void> {
  const why = reason(error);
  try {
    if (await store.fail(db, destination, why))
      onError(new Error(`the audit log does not reach ${destination}: ${why}`));
  } catch (failed) {
    onError(new Error(`the audit log does not reach ${destination}: ${why}`, { cause: failed }));
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed without saying why';
  // A stop is no failure, so what was aborted ran out of time.
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'it did not answer in time';
  // Where every address of a name was tried, the message is empty.
  const text = error.message === '' && 'code' in error ? String(error.code) : error.message;
  return text.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 300);
}
