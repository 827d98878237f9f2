// Follows a run without a connection: asks its container until the answer comes. A run is lost when its container
// is gone, or has restarted without it. A lost run ends as `interrupted`.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { Problem, problemDocument } from '@gantry/contract/problems.ts';
import type { ServingInstance } from '../deploy/serving.ts';
import { readAnswer, type Answer } from './answer.ts';
import type { Ingress } from './ingress.ts';
import * as store from './store.ts';

/** The longest time that the wrapper holds the request open until the run ends. */
const wait_seconds = 20;
const look_again_ms = 1000;
// A container may be too busy to answer for a short time. A dead one soon loses its address (deploy/keeper.ts).
const max_silences = 5;

/** Ends when the answer is stored, or when the service stops. The next service follows the run again. */
export async function followInvocation(
  ingress: Ingress,
  row: Pick<store.Invocation, 'id' | 'revision_id'>,
): Promise<void> {
  const { db, agents, stopping } = ingress;
  for (let silences = 0; !stopping.aborted && silences < max_silences;) {
    const instance = await agents.instance(row.revision_id);
    const asked = instance === undefined ? 'lost' : await askFor(ingress, instance, row.id);
    if (typeof asked === 'object') return await store.end(db, row.id, asked);
    if (asked === 'lost') break;
    silences = asked === 'silent' ? silences + 1 : 0;
    await sleep(look_again_ms, undefined, { signal: stopping }).catch(() => {}); // the stop ended the sleep
  }
  if (!stopping.aborted) await store.end(db, row.id, interrupted(row.id));
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
    return status === 404 ? 'lost' : { status, content_type, body };
  } catch {
    // A failed request means a silent container.
    return 'silent';
  }
}

function interrupted(run_id: string): Answer {
  const problem = new Problem('agent_unavailable', {
    detail: 'The container stopped or died before the run ended.',
    fields: { run_id, run_status: 'interrupted' },
  });
  return {
    status: problem.status,
    content_type: 'application/problem+json',
    body: Buffer.from(JSON.stringify(problemDocument(problem))),
  };
}
