export interface BackgroundWork {
  /** Work that continues after the answer. Its failure goes to `onError`. */
  start: (work: Promise<unknown>) => void;
  /** When all of it has ended. */
  ended(): Promise<void>;
}

export function backgroundWork(onError: (error: unknown) => void): BackgroundWork {
  const going_on = new Set<Promise<unknown>>();
  return {
    start: (work) => {
      const watched: Promise<unknown> = work.catch(onError).finally(() => going_on.delete(watched));
      going_on.add(watched);
    },
    ended: async () => void (await Promise.all(going_on)),
  };
}
