// A call to an agent stays open for the sync budget. After that the caller gets 202 with a run id, and the service stores the answer later.
// Promises: a call is pinned to its revision. The service never sends it twice. Only its caller gets the answer, also after a restart.
// When a container dies, its runs end as `interrupted`. A caller who hangs up before an answer or a run id withdraws a call
// that waits in the container's queue. A running call continues.
import type { Caller } from '../access/caller.ts';
import { Blocked, type GuardedCall } from '../guardrails/guarded-call.ts';
import { guardrailsHeader } from '../guardrails/print-done.ts';
import { jsonReply, type Reply } from '../http/reply.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { within } from '../within.ts';
import type { TraceContext } from '../trace-context.ts';
import { admit } from './admit.ts';
import { readAnswer, type Answer } from './answer.ts';
import { answerOf, followInvocation, storeEnd } from './follow-invocation.ts';
import { guardedInput, guardedOutput, guardCall } from './guarded-invocation.ts';
import type { Ingress } from './ingress.ts';
import { orRecorded, recordCall } from './record-call.ts';
import { startRun } from './start-run.ts';
import * as store from './store.ts';
import { callAgent, short_ms, type UpstreamCall } from './upstream.ts';

export interface Incoming {
  caller: Caller;
  name: string;
  headers: RequestHeaders;
  body: Uint8Array;
  signal: AbortSignal;
  trace: TraceContext;
}

export async function call(ingress: Ingress, incoming: Incoming): Promise<Reply> {
  const admitted = await admit(ingress.agents, incoming.caller, incoming.name);
  const { agent, instance, user } = admitted;
  // A caller who has left waits for no answer and cannot withdraw the call.
  incoming.signal.throwIfAborted();
  const run = startRun(ingress, admitted, incoming.trace);
  const run_id = run.id;
  const guarded = guardCall(ingress, admitted, run, incoming.caller.origin);
  const refused = { name: 'invoke', admitted, run, guarded } as const;
  const body = await orRecorded(ingress, refused, guardedInput(guarded, incoming.body));
  const to = { instance, agent, caller: user, method: 'POST' } as const;
  const ending = ended(ingress, { ...to, path: '/invoke', run, headers: incoming.headers, body }, guarded);
  void ending.then((end) => recordCall(ingress, { ...refused, input: body }, end));
  const isDetached = /(^|[\s,])respond-async\b/i.test(incoming.headers.get('prefer') ?? '');
  const leave = () => {
    // A stopping service hangs up too, and the next service follows its runs. A silent container starts no waiting call.
    if (ingress.stopping.aborted) return;
    const signal = AbortSignal.timeout(short_ms);
    ingress.background(ended(ingress, { ...to, path: `/runs/${run_id}/leave`, signal }));
  };
  incoming.signal.addEventListener('abort', leave, { once: true });
  // Not when the service stops: the next service follows the run.
  const { sync_budget_ms, stopping } = ingress;
  const early = isDetached ? undefined : await within(sync_budget_ms, ending, stopping);
  incoming.signal.removeEventListener('abort', leave);
  if (early !== undefined) return print(early, run_id, guarded);
  await store.insertRunning(ingress.db, {
    id: run_id,
    agent_id: agent.id,
    revision_id: instance.revision_id,
    caller_id: user.id,
  });
  ingress.background(
    storeAnswer(ingress, { id: run_id, revision_id: instance.revision_id, caller_id: user.id }, ending),
  );
  const location = `/agents/${incoming.name}/runs/${run_id}`;
  const headers = { location, 'x-run-id': run_id, ...(isDetached ? { 'preference-applied': 'respond-async' } : {}) };
  return jsonReply({ run_id, status: 'running' }, 202, headers);
}

export type Ended = { answer: Answer & { retry_after: string | undefined } } | { error: unknown };

// Never rejects: at its end, nothing may be awaiting it.
async function ended({ connections }: Ingress, upstream: UpstreamCall, guarded?: GuardedCall): Promise<Ended> {
  try {
    const { retry_after, ...given } = await callAgent(connections, upstream);
    const answer = await guardedOutput(guarded, await readAnswer(upstream.agent.ref, given));
    return { answer: { ...answer, retry_after } };
  } catch (error) {
    return { error };
  }
}

function print(ending: Ended, run_id: string, guarded: GuardedCall | undefined): Reply {
  if ('error' in ending) throw ending.error;
  const { status, content_type, retry_after, body } = ending.answer;
  const headers = {
    'content-type': content_type,
    'x-run-id': run_id,
    ...(guarded && guardrailsHeader(guarded.done)),
    ...(retry_after === undefined ? {} : { 'retry-after': retry_after }),
  };
  return { status, headers, body };
}

// After a broken connection the run may still work, so the container is asked for its answer.
async function storeAnswer(
  ingress: Ingress,
  row: Pick<store.Invocation, 'id' | 'revision_id' | 'caller_id'>,
  ending: Promise<Ended>,
): Promise<void> {
  const end = await ending;
  if ('answer' in end) await storeEnd(ingress, row.id, end.answer);
  else if (end.error instanceof Blocked) await storeEnd(ingress, row.id, answerOf(end.error));
  else await followInvocation(ingress, row);
  await ingress.forgetOld();
}
