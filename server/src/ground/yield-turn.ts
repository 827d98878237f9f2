import { setImmediate } from 'node:timers/promises';

/** The time that all long work together has of one turn of the event loop, before a part of it waits for the next. */
const turn_ms = 5;

let began_ms: number | undefined;

/**
 * Between two parts of long work, such as the checks of guardrails: waits for the next turn of the event loop when such work has had its time of
 * this one. Throws the reason of the signal.
 */
export async function yieldTurn(signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  if (began_ms === undefined) {
    began_ms = performance.now();
    void setImmediate().then(() => (began_ms = undefined));
  } else if (performance.now() - began_ms >= turn_ms) await setImmediate();
}
