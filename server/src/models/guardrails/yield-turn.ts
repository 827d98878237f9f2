import { setImmediate } from 'node:timers/promises';

/** The time that all checks together have of one turn of the event loop, before one of them waits for the next. */
const turn_ms = 5;

let began_ms: number | undefined;

/**
 * Between two parts of a check: waits for the next turn of the event loop when the checks have had their time of this one. Throws the reason of
 * the signal, so that a check ends with its call.
 */
export async function yieldTurn(signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  if (began_ms === undefined) {
    began_ms = performance.now();
    void setImmediate().then(() => (began_ms = undefined));
  } else if (performance.now() - began_ms >= turn_ms) await setImmediate();
}
