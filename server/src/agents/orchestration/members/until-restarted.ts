// Waits after a call was lost with its container. The keeper starts the container again, so the second call is admitted when an instance answers.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';

const longest_restart_ms = 60_000;
const look_again_ms = 200;

/** Throws what `admit` throws, and `agent_unavailable` only after a minute. */
export async function untilRestarted<T>(signal: AbortSignal, admit: () => Promise<T>): Promise<T> {
  const until = performance.now() + longest_restart_ms;
  for (;;) {
    try {
      return await admit();
    } catch (error) {
      const isRestarting = error instanceof Problem && error.code === 'agent_unavailable';
      if (!isRestarting || performance.now() >= until) throw error;
    }
    await sleep(look_again_ms, undefined, { signal }).catch(() => {}); // the next line says why
    signal.throwIfAborted();
  }
}
