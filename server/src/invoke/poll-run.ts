import { request } from 'undici';
import { z } from 'zod';
import type { ServingInstance } from '../deploy/serving.ts';
import { interrupted } from './interrupted.ts';

/** How long the wrapper may hold the question until the run ends. */
const wait_seconds = 20;

const runReply = z.looseObject({
  run_id: z.string(),
  status: z.string(),
  thread_id: z.string(),
  ended_at: z.string().nullable(),
  error: z.looseObject({ status: z.number().int() }).optional(),
});

/** Asks the wrapper for a call that is no longer connected to anything here. */
export async function pollRun(instance: ServingInstance, run_id: string) {
  try {
    const answered = await request(`${instance.url}/runs/${run_id}?wait_seconds=${wait_seconds}`, {
      headers: { 'x-svc-ingress-secret': instance.secret },
      headersTimeout: (wait_seconds + 10) * 1000,
      bodyTimeout: 30_000,
    });
    const read = runReply.safeParse(await answered.body.json());
    // A container that was started anew knows nothing of the run.
    if (answered.statusCode !== 200 || !read.success) return interrupted(undefined);
    return read.data.ended_at === null ? ('running' as const) : resultOf(read.data);
  } catch (cause) {
    // The container is there but does not answer, or died just now: either way the call is lost.
    return interrupted(cause);
  }
}

// The same answer that the call itself would have got.
function resultOf({
  error,
  metadata: _m,
  created_at: _c,
  started_at: _s,
  ended_at: _e,
  ...answer
}: z.output<typeof runReply>) {
  if (error !== undefined)
    return { status: error.status, content_type: 'application/problem+json', body: Buffer.from(JSON.stringify(error)) };
  return { status: 200, content_type: 'application/json', body: Buffer.from(JSON.stringify(answer)) };
}
