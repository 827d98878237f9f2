import { z } from 'zod';
import { readObject } from '../targets/read-object.ts';
import type { Reach } from '../targets/target.ts';

const health = z.object({
  status: z.enum(['starting', 'ready', 'failed', 'draining']),
  // The container is a stranger's. A number beyond its column would fail the row of every other agent.
  in_flight: z.number().int().min(0).max(1_000_000),
  // Measurements. A wrong one counts as absent, because it must not make a container look dead.
  concurrency: z.number().int().min(1).optional().catch(undefined),
  cpu_seconds: z.number().min(0).optional().catch(undefined),
  /** Those that it has admitted since its start. */
  calls: z.number().int().min(0).optional().catch(undefined),
});
export type Health = z.output<typeof health>;

/** Five seconds in the spec. */
const timeout_ms = 5000;

/** A container's health. Undefined without an answer, or for any other answer. */
export async function askHealth({ url, headers }: Reach, signal: AbortSignal): Promise<Health | undefined> {
  try {
    const response = await fetch(`${url}/health`, {
      headers,
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
