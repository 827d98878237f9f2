import { bell } from './bell.ts';

export interface Loop {
  /** Takes the next turn now. */
  ring: () => void;
  /** Waits for the turn that is under way. */
  stop(): Promise<void>;
}

/** Takes turns until it is stopped: the next one at once when the last found something to do, else after the pause; after ten when it failed. */
export function startLoop(
  turn: () => Promise<boolean>,
  { pause_ms, onError }: { pause_ms: number; onError: (error: unknown) => void },
): Loop {
  const stopping = new AbortController();
  const wake = bell();
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      try {
        if (!(await turn())) await wake.heard(pause_ms, stopping.signal);
      } catch (error) {
        onError(error);
        await wake.heard(10 * pause_ms, stopping.signal);
      }
    }
  })();
  return {
    ring: wake.ring,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}
