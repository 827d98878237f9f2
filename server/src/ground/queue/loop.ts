import { wakeUp } from './wake-up.ts';

export interface Loop {
  /** Ends the pause. */
  wake: () => void;
  /** Waits for the work under way. */
  stop(): Promise<void>;
}

export interface LoopSettings {
  pause_ms: number;
  /** The pause after a failure; by default ten pauses. */
  failed_pause_ms?: number;
  onError: (error: unknown) => void;
}

/** Repeats the work until the stop. It repeats at once when the work returns true, otherwise after the pause. */
export function startLoop(
  work: () => Promise<boolean | void>,
  { pause_ms, failed_pause_ms = 10 * pause_ms, onError }: LoopSettings,
): Loop {
  const stopping = new AbortController();
  const { wake, sleep } = wakeUp();
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      try {
        if ((await work()) !== true) await sleep(pause_ms, stopping.signal);
      } catch (error) {
        onError(error);
        await sleep(failed_pause_ms, stopping.signal);
      }
    }
  })();
  return {
    wake,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}
