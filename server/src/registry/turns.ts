import { Problem } from '@gantry/contract/problems.ts';

/** Lets `most` works run at a time and the others wait in the order they came; who waits longer than `wait_ms` is sent away, with `busy`. */
export function turns(most: number, wait_ms: number, busy: string) {
  const waiting: (() => void)[] = [];
  let free = most;

  async function take(signal: AbortSignal): Promise<void> {
    if (free > 0) {
      free--;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ends = AbortSignal.any([signal, AbortSignal.timeout(wait_ms)]);
    const leave = () => {
      const place = waiting.indexOf(resolve);
      // The turn came in the same moment.
      if (place < 0) return;
      waiting.splice(place, 1);
      const sentAway = new Problem('rate_limited', {
        detail: busy,
        hint: 'Try again in a minute.',
        retry_after_seconds: 60,
      });
      reject(signal.aborted ? signal.reason : sentAway);
    };
    waiting.push(resolve);
    ends.addEventListener('abort', leave, { once: true });
    await promise;
    ends.removeEventListener('abort', leave);
  }

  return async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    await take(signal);
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
