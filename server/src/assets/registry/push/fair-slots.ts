import { Problem } from '@gantry/contract/problems.ts';

export interface SlotSettings<Share extends string> {
  /** Tasks at a time. */
  max: number;
  /** The most tasks of one share (a user or a team), so that nobody takes all slots. */
  shares: Record<Share, number>;
  wait_ms: number;
  /** The sentence for callers who waited too long. */
  busy: string;
}

interface Waiting<Share extends string> {
  who: Record<Share, string>;
  begin: () => void;
}

/** Runs a limited number of tasks at a time. The others wait in the order of arrival, but a share at its limit is passed over. */
export function fairSlots<Share extends string>({ max, shares, wait_ms, busy }: SlotSettings<Share>) {
  const waiting: Waiting<Share>[] = [];
  const working = new Set<Record<Share, string>>();

  function mayBegin(who: Record<Share, string>): boolean {
    return (
      working.size < max &&
      Object.entries<number>(shares).every(([share, least]) => {
        const key = share as Share; // a key of that record
        return [...working].filter((other) => other[key] === who[key]).length < least;
      })
    );
  }

  function beginNext(): void {
    for (let at = waiting.findIndex(({ who }) => mayBegin(who)); at >= 0;) {
      const [next] = waiting.splice(at, 1);
      next?.begin();
      at = waiting.findIndex(({ who }) => mayBegin(who));
    }
  }

  async function take(who: Record<Share, string>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (mayBegin(who)) {
      working.add(who);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = () => {
      working.add(who);
      resolve();
    };
    const one = { who, begin };
    const ends = AbortSignal.any([signal, AbortSignal.timeout(wait_ms)]);
    const leave = () => {
      const place = waiting.indexOf(one);
      // The turn came at the same moment.
      if (place < 0) return;
      waiting.splice(place, 1);
      const sentAway = new Problem('too_many_requests', {
        detail: busy,
        hint: 'Try again in a minute.',
        retry_after_seconds: 60,
      });
      reject(signal.aborted ? signal.reason : sentAway);
    };
    waiting.push(one);
    ends.addEventListener('abort', leave, { once: true });
    await promise;
    ends.removeEventListener('abort', leave);
  }

  return async <T>(who: Record<Share, string>, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    // A new object: one caller with two tasks counts twice.
    const one = { ...who };
    await take(one, signal);
    try {
      return await work();
    } finally {
      working.delete(one);
      beginNext();
    }
  };
}
