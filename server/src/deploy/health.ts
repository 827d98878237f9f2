import { z } from 'zod';
import { readObject } from './targets/read-object.ts';

const health = z.object({
  status: z.enum(['starting', 'ready', 'failed', 'draining']),
  in_flight: z.number().int().min(0),
});
export type Health = z.output<typeof health>;

/** The spec's five seconds. */
const timeout_ms = 5000;

/** What a container says of itself; undefined when it does not answer, or with anything else. */
export async function askHealth(url: string, signal: AbortSignal): Promise<Health | undefined> {
  try {
    const response = await fetch(`${url}/health`, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]),
    });
    return health.safeParse(await readObject(response)).data;
  } catch {
    // No answer is the answer: the container is starting, stuck or gone.
    signal.throwIfAborted();
    return undefined;
  }
}
