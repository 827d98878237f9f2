import { z } from 'zod';
import { readObject } from './targets/read-object.ts';

const health = z.object({
  status: z.enum(['starting', 'ready', 'failed', 'draining']),
  in_flight: z.number().int().min(0),
});
export type Health = z.output<typeof health>;

/** Five seconds in the spec. */
const timeout_ms = 5000;

/** A container's health. Undefined without an answer, or for any other answer. */
export async function askHealth(url: string, signal: AbortSignal): Promise<Health | undefined> {
  try {
    const response = await fetch(`${url}/health`, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]),
    });
    return health.safeParse(await readObject(response)).data;
  } catch {
    // No answer means that the container is starting, hung or gone.
    signal.throwIfAborted();
    return undefined;
  }
}
