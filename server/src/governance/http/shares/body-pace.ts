// A large body costs processor time by its length: it is decoded, parsed, checked and printed again. Promise: a caller's large bodies get
// at most a part of that time, so that others find the event loop free. The first one is taken at once.
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Problem } from '@gantry/contract/problems.ts';

/** Waits until this caller may send so many more bytes. Throws `too_many_requests`, and the reason of the signal. */
export type BodyPace = (caller: string, bytes: number, signal: AbortSignal) => Promise<void>;

export interface PaceSettings {
  bytes_per_second: number;
  longest_wait_ms: number;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  now?: () => number;
}

const most_callers = 10_000;

export function bodyPace({
  bytes_per_second,
  longest_wait_ms,
  wait = async (ms, signal) => await sleep(ms, undefined, { signal }),
  now = () => performance.now(),
}: PaceSettings): BodyPace {
  const free_at = new LRUCache<string, number>({ max: most_callers });
  return async (caller, bytes, signal) => {
    const begins_at = Math.max(now(), free_at.get(caller) ?? 0);
    const wait_ms = begins_at - now();
    if (wait_ms > longest_wait_ms)
      throw new Problem('too_many_requests', {
        detail: `Your large requests arrive faster than ${bytes_per_second / 1024 ** 2} MB a second.`,
        retry_after_seconds: Math.ceil(wait_ms / 1000),
      });
    free_at.set(caller, begins_at + (bytes / bytes_per_second) * 1000);
    if (wait_ms <= 0) return;
    await wait(wait_ms, signal).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
  };
}
