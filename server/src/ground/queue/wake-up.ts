export interface WakeUp {
  wake: () => void;
  /** Settles on a wake-up or after `wait_ms`. It settles at once after a wake-up since the last sleep. */
  sleep: (wait_ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Wakes one sleeper. Without a sleeper, the wake-up is kept for the next sleep. */
export function wakeUp(): WakeUp {
  let woken = false;
  let end: () => void = () => {};
  return {
    wake: () => {
      woken = true;
      end();
    },
    sleep: async (wait_ms, signal) => {
      if (!woken && signal?.aborted !== true) {
        const { promise, resolve } = Promise.withResolvers<void>();
        end = resolve;
        const timer = setTimeout(resolve, wait_ms);
        signal?.addEventListener('abort', end);
        await promise;
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
      }
      woken = false;
    },
  };
}
