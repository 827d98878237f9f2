// Follows a run without a connection: asks its container until the answer comes. A run is lost when its container
// is gone, or has restarted without it. A lost run ends as `interrupted`.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { Problem, problemDocument } from '@gantry/contract/problems.ts';
import { noRequest } from '../access/caller.ts';
import type { ServingInstance } from '../deploy/serving.ts';
import { readAnswer, type Answer } from './answer.ts';
import { guardedOutput, guardInvocation } from './guarded-invocation.ts';
import type { Ingress } from './ingress.ts';
import { retryWhileAway } from './retry-while-away.ts';
import * as store from './store.ts';
import { refusalOf } from './upstream.ts';

/** The longest time that the wrapper holds the request open until the run ends. */
const wait_seconds = 20;
const look_again_ms = 1000;
// A container may be too busy to answer for a short time. A dead one soon loses its address (deploy/keeper.ts).
const max_silences = 5;

type Followed = Pick<store.Invocation, 'id' | 'revision_id' | 'caller_id'>;

/** Ends when the answer is stored, or when the service stops. The next service follows the run again. */
export async function followInvocation(ingress: Ingress, row: Followed): Promise<void> {
  const { agents, stopping } = ingress;
  for (let silences = 0; !stopping.aborted && silences < max_silences;) {
    const instance = await retryWhileAway(stopping, async () => await agents.instance(row.revision_id));
    const asked = instance === undefined ? 'lost' : await askFor(ingress, instance, row.id);
    if (typeof asked === 'object' && instance !== undefined)
      return await storeEnd(ingress, row.id, await guardedAnswer(ingress, { row, instance }, asked));
    if (asked === 'lost') break;
    silences = asked === 'silent' ? silences + 1 : 0;
    await sleep(look_again_ms, undefined, { signal: stopping }).catch(() => {}); // the stop ended the sleep
  }
  if (!stopping.aborted) await storeEnd(ingress, row.id, answerOf(interrupted(row.id)));
}

/** A service that stops before it is stored leaves it to the next one, which asks the container. */
export async function storeEnd({ db, stopping }: Ingress, run_id: string, answer: Answer): Promise<void> {
  await retryWhileAway(stopping, async () => await store.end(db, run_id, answer));
}

async function askFor(
  { connections, stopping }: Ingress,
  instance: ServingInstance,
  run_id: string,
): Promise<Answer | 'running' | 'lost' | 'silent'> {
  try {
    const answered = await request(`${instance.url}/runs/${run_id}/answer?wait_seconds=${wait_seconds}`, {
      dispatcher: connections.to(instance),
      headers: { 'x-svc-ingress-secret': instance.secret },
      headersTimeout: (wait_seconds + 10) * 1000,
      bodyTimeout: 30_000,
      signal: stopping,
    });
    const { status, content_type, body } = await readAnswer('the agent', {
      status: answered.statusCode,
      content_type: String(answered.headers['content-type']),
      body: answered.body,
    });
    if (status === 202) return 'running';
    if (status === 404) return 'lost';
    const refused = refusalOf('the agent', { status, content_type });
    return refused === undefined ? { status, content_type, body } : answerOf(refused);
  } catch {
    // A failed request means a silent container.
    return 'silent';
  }
}

// What the caller had sent is not kept, so no value of it may come out again.
async function guardedAnswer(
  ingress: Ingress,
  { row, instance }: { row: Followed; instance: ServingInstance },
  answer: Answer,
): Promise<Answer> {
  const origin = noRequest();
  const run = { run_id: row.id, trace_id: null, instance, caller_id: row.caller_id, origin };
  try {
    return await guardedOutput(guardInvocation(ingress, run), answer);
  } catch (error) {
    if (error instanceof Problem) return answerOf(error);
    throw error;
  }
}

function interrupted(run_id: string): Problem {
  return new Problem('agent_unavailable', {
    detail: 'The container stopped or died before the run ended.',
    fields: { run_id, run_status: 'interrupted' },
  });
}

export function answerOf(problem: Problem): Answer {
  return {
    status: problem.status,
    content_type: 'application/problem+json',
    body: Buffer.from(JSON.stringify(problemDocument(problem))),
  };
}
