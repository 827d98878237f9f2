import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import { brokenConnection } from '../answer.ts';
import type { Ingress } from '../ingress.ts';
import { interrupted, unknown } from '../calls/lost-call.ts';

export interface BrokenStream {
  ref: string;
  run_id: string;
  instance_id: string;
  /** A time of `performance.now()`. */
  began_at: number;
  /** The container has said an event of the run. Without that nothing tells if it began. */
  is_begun: boolean;
}

// The keeper looks at each container every 1.5 seconds.
const most_looks = 10;
const look_again_ms = 250;

/** Why a stream broke: the end of the container, once the keeper has seen it. */
export async function lostStream(
  { agents, stopping }: Pick<Ingress, 'agents' | 'stopping'>,
  { ref, run_id, instance_id, began_at, is_begun }: BrokenStream,
  cause: unknown,
): Promise<Problem> {
  for (let looks = 0; looks < most_looks && !stopping.aborted; looks++) {
    const seconds = Math.ceil((performance.now() - began_at) / 1000) + 1;
    // Without the database the reader still hears that the connection broke.
    const end = await agents.lastEnd(instance_id, seconds).catch(() => undefined);
    if (end !== undefined) return is_begun ? interrupted(run_id, end) : unknown(run_id, end);
    await sleep(look_again_ms, undefined, { signal: stopping }).catch(() => {}); // the loop ends
  }
  if (stopping.aborted) return new Problem('starting', { detail: 'The service is stopping.' });
  return is_begun ? brokenConnection(ref, cause) : unknown(run_id, undefined);
}
