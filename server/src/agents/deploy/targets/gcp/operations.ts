import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import type { Google } from './google.ts';
import type { GoogleRequest } from './requests.ts';

const operation = z.object({
  name: z.string(),
  done: z.boolean().default(false),
  error: z.object({ code: z.number(), message: z.string().default('') }).optional(),
});

const longest_ms = 300_000;
const first_pause_ms = 500;
const longest_pause_ms = 4000;
const most_words = 1000;

/** Begins the work and waits for its end. Throws `start_failed` with Google's sentence when it failed. */
export async function finished(google: Google, request: GoogleRequest, signal?: AbortSignal): Promise<void> {
  let now = await google.call(request, operation, signal);
  const { name } = now;
  // The name is part of the next path.
  if (!/^projects\/[^/]+\/locations\/[^/]+\/operations\/[^/]+$/.test(name))
    throw new Problem('engine_unavailable', { detail: 'Google names an operation in another form than its own.' });
  const deadline = performance.now() + longest_ms;
  for (let pause_ms = first_pause_ms; !now.done; pause_ms = Math.min(pause_ms * 1.5, longest_pause_ms)) {
    if (performance.now() > deadline)
      throw new Problem('engine_unavailable', {
        detail: `Cloud Run has not ended an operation in ${longest_ms / 1000} s.`,
      });
    await sleep(pause_ms, undefined, { ...(signal && { signal }) });
    now = await google.call({ method: 'run.projects.locations.operations.get', name }, operation, signal);
  }
  if (now.error !== undefined)
    throw new Problem('start_failed', { detail: `Cloud Run says: ${now.error.message.slice(0, most_words)}` });
}
