import { setTimeout as sleep } from 'node:timers/promises';
import { asProblem } from '../../../governance/http/refusals/problem-reply.ts';

/** Repeats work that meets a database that is away or full; throws any other failure. Undefined when the service stops. */
export async function retryWhileAway<T>(
  stopping: AbortSignal,
  work: () => Promise<T>,
  pause_ms = 1000,
): Promise<T | undefined> {
  while (!stopping.aborted) {
    try {
      return await work();
    } catch (error) {
      if (!['starting', 'storage_full'].includes(asProblem(error).code)) throw error;
    }
    await sleep(pause_ms, undefined, { signal: stopping }).catch(() => {}); // woken to stop
  }
  return undefined;
}
