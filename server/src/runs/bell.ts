export interface Bell {
  ring: () => void;
  /** Settles when the bell rings, or at the latest after `wait_ms`; at once when it rang since the last time. */
  heard(wait_ms: number, signal?: AbortSignal): Promise<void>;
}

/** Wakes one waiter. What rings while nobody waits is not lost. */
export function bell(): Bell {
  let rung = false;
  let wake: () => void = () => {};
  return {
    ring: () => {
      rung = true;
      wake();
    },
    heard: async (wait_ms, signal) => {
      if (!rung && signal?.aborted !== true) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const timer = setTimeout(resolve, wait_ms);
        signal?.addEventListener('abort', wake);
        await promise;
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
      }
      rung = false;
    },
  };
}
