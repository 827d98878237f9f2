import { bell, type Bell } from './bell.ts';

export interface Loop {
  /** Takes the next turn now. */
  ring: () => void;
  /** Waits for the turn that is under way. */
  stop(): Promise<void>;
}

export interface LoopSettings {
  pause_ms: number;
  /** After a turn that failed; ten pauses unless told. */
  failed_pause_ms?: number;
  /** Rung by others as well. */
  wake?: Bell;
  onError: (error: unknown) => void;
}

/** Takes turns until it is stopped: the next one at once when the last answered that it found something to do, else after the pause. */
export function startLoop(
  turn: () => Promise<boolean | void>,
  { pause_ms, failed_pause_ms = 10 * pause_ms, wake = bell(), onError }: LoopSettings,
): Loop {
  const stopping = new AbortController();
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      try {
        if ((await turn()) !== true) await wake.heard(pause_ms, stopping.signal);
      } catch (error) {
        onError(error);
        await wake.heard(failed_pause_ms, stopping.signal);
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
