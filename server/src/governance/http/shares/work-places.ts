// Who works next in this process. Promises: a caller without other work begins at once, whatever others do. A caller works on a few requests
// at a time; the others wait. Each turn of the event loop lets one waiting request begin: that of the caller with the least work, then the
// one that waits longest. A wait for something else holds no place. No caller keeps more than a part of the connections.
import { Problem } from '@gantry/contract/problems.ts';

export interface WorkPlaces {
  /** When there is a place for this caller. Throws `too_many_requests`, and the reason of the signal. */
  enter(caller: string, signal: AbortSignal): Promise<Place>;
}

export interface Place {
  /** Others of the caller work during this wait. Its end waits for a place again. */
  whileWaiting: <T>(wait: Promise<T>) => Promise<T>;
  /** The work is done. The request is open until it leaves. */
  end: () => void;
  leave: () => void;
}

export interface WorkSettings {
  /** The most requests of one caller that work at a time. */
  most_working: number;
  /** The most open requests of one caller: those that work, those that wait, and those whose answers are being read. */
  most_open: number;
  /** Calls back after other work of the event loop. */
  later?: (callback: () => void) => void;
}

interface Share {
  working: number;
  open: number;
  /** Work that has begun, and goes on after a wait. */
  continuing: Waiting[];
  beginning: Waiting[];
}

interface Waiting {
  since: number;
  begin: () => void;
}

/** The place for an endpoint without places. */
export const placeOfNobody: Place = { whileWaiting: async (wait) => await wait, end: () => {}, leave: () => {} };

export function workPlaces({ most_working, most_open, later = setImmediate }: WorkSettings): WorkPlaces {
  const shares = new Map<string, Share>();
  const queued = new Set<Share>();
  let arrived = 0;
  let isHandingOut = false;

  function handOut(): void {
    if (isHandingOut) return;
    isHandingOut = true;
    later(beginOne);
  }

  function beginOne(): void {
    isHandingOut = false;
    const next = [...queued].filter(({ working }) => working < most_working).toSorted(byTurn)[0];
    if (next === undefined) return;
    const { begin } = (next.continuing.shift() ?? next.beginning.shift()) as Waiting; // a queued share has one
    if (headOf(next) === undefined) queued.delete(next);
    next.working += 1;
    begin();
    if (queued.size > 0) handOut();
  }

  async function work(share: Share, list: Waiting[], signal?: AbortSignal): Promise<void> {
    if (share.working === 0 && headOf(share) === undefined) {
      share.working = 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one = { since: (arrived += 1), begin: resolve };
    list.push(one);
    queued.add(share);
    handOut();
    const leave = () => {
      const at = list.indexOf(one);
      // Its turn came at the same moment.
      if (at < 0) return;
      list.splice(at, 1);
      if (headOf(share) === undefined) queued.delete(share);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    await promise;
    signal?.removeEventListener('abort', leave);
  }

  function rest(share: Share): void {
    share.working -= 1;
    if (queued.has(share)) handOut();
  }

  function placeIn(share: Share, close: () => void): Place {
    let waits = 0;
    let [isWorking, hasEnded] = [true, false];
    let continuing: Promise<void> | undefined;
    const giveBack = () => {
      if (isWorking) rest(share);
      isWorking = false;
    };
    const goOn = async () => {
      await work(share, share.continuing);
      continuing = undefined;
      isWorking = true;
      // Another part of the request waits by now, or nobody needs its answer any more.
      if (waits > 0 || hasEnded) giveBack();
    };
    return {
      whileWaiting: async (wait) => {
        waits += 1;
        giveBack();
        try {
          return await wait;
        } finally {
          waits -= 1;
          if (waits === 0 && !hasEnded && !isWorking) await (continuing ??= goOn());
        }
      },
      end: () => {
        hasEnded = true;
        giveBack();
      },
      leave: close,
    };
  }

  return {
    enter: async (caller, signal) => {
      signal.throwIfAborted();
      const share = shares.get(caller) ?? { working: 0, open: 0, continuing: [], beginning: [] };
      if (share.open >= most_open) throw tooMany(most_open);
      shares.set(caller, share);
      share.open += 1;
      const close = () => {
        share.open -= 1;
        if (share.open === 0) shares.delete(caller);
      };
      try {
        await work(share, share.beginning, signal);
      } catch (error) {
        close();
        throw error;
      }
      return placeIn(share, close);
    },
  };
}

function byTurn(one: Share, other: Share): number {
  return one.working - other.working || (headOf(one)?.since ?? 0) - (headOf(other)?.since ?? 0);
}

function headOf({ continuing, beginning }: Share): Waiting | undefined {
  return continuing[0] ?? beginning[0];
}

function tooMany(most_open: number): Problem {
  return new Problem('too_many_requests', {
    detail: `You have ${most_open} open requests in this process, and no more are allowed.`,
    retry_after_seconds: 1,
  });
}
