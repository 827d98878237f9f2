import { setTimeout as sleep } from 'node:timers/promises';

export interface Loop {
  /** Waits for the turn that is under way. */
  stop(): Promise<void>;
}

/** Takes turns until it is stopped: the next one at once when the last found something to do, else after the pause. */
export function startLoop(
  turn: (stopping: AbortSignal) => Promise<boolean>,
  { pause_ms, onError }: { pause_ms: number; onError: (error: unknown) => void },
): Loop {
  const stopping = new AbortController();
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      const found = await turn(stopping.signal).catch((error: unknown) => {
        onError(error);
        return false;
      });
      if (!found) await sleep(pause_ms, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}
