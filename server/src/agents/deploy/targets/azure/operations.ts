import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import type { Azure } from './azure-client.ts';
import type { AzureRequest } from './requests.ts';

/** Of an operation. The address of its result has only a status of HTTP until it is over. */
const operation = z.object({
  status: z.string(),
  error: z.object({ code: z.string().default(''), message: z.string().default('') }).nullish(),
});

const longest_ms = 600_000;
const first_pause_ms = 500;
const longest_pause_ms = 4000;
const most_words = 1000;
const failed = ['Failed', 'Canceled'];

/** Begins the work and waits for its end. Throws `start_failed` with Azure's sentence when it failed. */
export async function finished(
  azure: Azure,
  request: AzureRequest,
  { subscription }: { subscription: string },
  signal?: AbortSignal,
): Promise<void> {
  const begun = await azure.begin(request, signal);
  if (begun.next === undefined) {
    // It was there already, or has gone at once.
    if (begun.status !== 202) return;
    throw new Problem('engine_unavailable', { detail: 'Azure has begun an operation and does not say which.' });
  }
  const poll = azure.named(
    'operation',
    begun.next,
    `/subscriptions/${subscription}/providers/Microsoft.App/locations/`,
  );
  const deadline = performance.now() + longest_ms;
  for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(pause_ms * 1.5, longest_pause_ms)) {
    if (performance.now() > deadline)
      throw new Problem('engine_unavailable', {
        detail: `Container Apps has not ended an operation in ${longest_ms / 1000} s.`,
      });
    await sleep(pause_ms, undefined, { ...(signal && { signal }) });
    const { status, body } = await azure.begin(poll, signal);
    if (status === 202) continue;
    const found = operation.safeParse(body);
    if (!found.success && status === 204) return;
    if (!found.success)
      throw new Problem('engine_unavailable', { detail: 'Azure answers an operation in another form than its own.' });
    if (found.data.status === 'Succeeded') return;
    if (failed.includes(found.data.status))
      throw new Problem('start_failed', { detail: `Container Apps says: ${sentence(found.data)}` });
  }
}

const sentence = ({ status, error }: z.output<typeof operation>) =>
  (error?.message ?? '') === '' ? status : (error?.message ?? '').slice(0, most_words);
