// One piece of work at a time. Those of several owners take turns, so an owner of many delays each other by one.

export interface FairQueue {
  /** Throws `QueueFull` when the owner has too many waiting. */
  run<Result>(owner: string, work: () => Promise<Result>): Promise<Result>;
}

export class QueueFull extends Error {}

export function fairQueue({ most_waiting }: { most_waiting: number }): FairQueue {
  /** In the order of their next turns. An owner without waiting work is not in it. */
  const waiting = new Map<string, (() => void)[]>();
  let isBusy = false;
  const next = () => {
    const [first] = waiting;
    isBusy = first !== undefined;
    if (first === undefined) return;
    const [owner, [begin, ...others]] = first;
    waiting.delete(owner);
    if (others.length > 0) waiting.set(owner, others);
    begin?.();
  };
  return {
    run: async (owner, work) => {
      if (isBusy) {
        const own = waiting.get(owner) ?? [];
        if (own.length >= most_waiting) throw new QueueFull(`More than ${most_waiting} searches wait for ${owner}.`);
        const turn = Promise.withResolvers<void>();
        waiting.set(owner, [...own, turn.resolve]);
        await turn.promise;
      }
      isBusy = true;
      try {
        return await work();
      } finally {
        next();
      }
    },
  };
}
