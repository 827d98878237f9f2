// Follows a run without a connection: asks its container until the answer comes. A run is lost when its container
// is gone, or has restarted without it. A lost run ends as `interrupted`.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { Problem, problemDocument } from '@gantry/contract/problems.ts';
import { noRequest } from '../access/caller.ts';
import type { CalledRevision, ServingAddress } from '../deploy/serving.ts';
import { readAnswer, type Answer } from './answer.ts';
import { guardedOutput, guardInvocation } from './guarded-invocation.ts';
import type { Ingress } from './ingress.ts';
import { retryWhileAway } from './retry-while-away.ts';
import * as store from './store.ts';
import { refusalOf } from './upstream.ts';

/** The longest time that the wrapper holds the request open until the run ends. */
const wait_seconds = 20;
const look_again_ms = 1000;
// A container may be too busy to answer for a short time. A dead one soon loses its address (deploy/keep/keeper.ts).
const max_silences = 5;

type Followed = Pick<store.Invocation, 'id' | 'instance_id' | 'caller_id' | 'root_run_id'>;

/** Ends when the answer is stored, when this ingress loses the call, or when the service stops. Then another one follows the run again. */
export async function followInvocation(ingress: Ingress, row: Followed, lost: AbortSignal): Promise<void> {
  const { agents, db, owner } = ingress;
  const signal = AbortSignal.any([ingress.stopping, lost]);
  const storeEnd = async (answer: Answer) =>
    await retryWhileAway(signal, async () => await store.end(db, row.id, answer, owner));
  for (let silences = 0; !signal.aborted && silences < max_silences;) {
    const { instance_id } = row;
    const find = async () => (instance_id === null ? undefined : await agents.instance(instance_id));
    const called = await retryWhileAway(signal, find);
    const asked = called === undefined ? 'lost' : await askFor(ingress, called.address, { run_id: row.id, signal });
    if (typeof asked === 'object' && called !== undefined) {
      const answer = await guardedAnswer(ingress, { row, ...called, signal }, asked);
      if (answer !== undefined) await storeEnd(answer);
      return;
    }
    if (asked === 'lost') break;
    silences = asked === 'silent' ? silences + 1 : 0;
    await sleep(look_again_ms, undefined, { signal }).catch(() => {}); // the loop ends
  }
  if (!signal.aborted) await storeEnd(answerOf(interrupted(row.id)));
}

async function askFor(
  { connections }: Ingress,
  instance: ServingAddress,
  { run_id, signal }: { run_id: string; signal: AbortSignal },
): Promise<Answer | 'running' | 'lost' | 'silent'> {
  try {
    const { url, headers } = await instance.reach();
    const answered = await request(`${url}/runs/${run_id}/answer?wait_seconds=${wait_seconds}`, {
      dispatcher: connections.to({ ...instance, url }),
      headers: { 'x-svc-ingress-secret': instance.secret, ...headers },
      headersTimeout: (wait_seconds + 10) * 1000,
      bodyTimeout: 30_000,
      signal,
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

// What the caller had sent is not kept, so no value of it may come out again. Undefined when the signal ends the check.
async function guardedAnswer(
  ingress: Ingress,
  { row, revision, signal }: { row: Followed; revision: CalledRevision; signal: AbortSignal },
  answer: Answer,
): Promise<Answer | undefined> {
  const origin = noRequest();
  const of = { run_id: row.id, root_run_id: row.root_run_id ?? row.id, caller_id: row.caller_id };
  const run = { ...of, trace_id: null, revision, origin, signal };
  try {
    return await guardedOutput(guardInvocation(ingress, run), answer);
  } catch (error) {
    if (error instanceof Problem) return answerOf(error);
    if (signal.aborted) return undefined;
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
