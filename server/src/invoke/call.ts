// A call to an agent, kept open as long as the sync budget lasts; after that the caller gets 202 with a run id, and the answer is stored
// when it comes. Promises: a call is pinned to the revision that runs it; the service never sends it twice; an answer reaches its caller
// alone, also after a restart. A container that dies ends its runs as `interrupted`. A caller who hangs up before there is an answer or a
// run id takes the call back while it waits in the container's queue; one that runs by then goes on.
import { randomUUID } from 'node:crypto';
import type { Caller } from '../access/caller.ts';
import { jsonReply, type Reply } from '../http/reply.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { admit } from './admit.ts';
import { readAnswer, type Answer } from './answer.ts';
import { followInvocation, storeEnd } from './follow-invocation.ts';
import type { Ingress } from './ingress.ts';
import * as store from './store.ts';
import { callAgent, type UpstreamCall } from './upstream.ts';

export interface Incoming {
  caller: Caller;
  name: string;
  headers: RequestHeaders;
  body: Uint8Array;
  signal: AbortSignal;
}

export async function call(ingress: Ingress, incoming: Incoming): Promise<Reply> {
  const { agent, instance, user } = await admit(ingress.agents, incoming.caller, incoming.name);
  // One who left by now waits for nothing, and nobody would take the call back.
  incoming.signal.throwIfAborted();
  const run_id = randomUUID();
  const to = { instance, agent, caller: user, method: 'POST' } as const;
  const ending = ended(ingress, { ...to, path: '/invoke', run_id, headers: incoming.headers, body: incoming.body });
  const isDetached = /(^|[\s,])respond-async\b/i.test(incoming.headers.get('prefer') ?? '');
  const leave = () => {
    // A service that stops hangs up, too; its runs are the next one's. Where nothing answers, nothing waits.
    if (!ingress.stopping.aborted) ingress.background(ended(ingress, { ...to, path: `/runs/${run_id}/leave` }));
  };
  incoming.signal.addEventListener('abort', leave, { once: true });
  const early = isDetached ? undefined : await within(ending, ingress);
  incoming.signal.removeEventListener('abort', leave);
  if (early !== undefined) return print(early, run_id);
  await store.insertRunning(ingress.db, {
    id: run_id,
    agent_id: agent.id,
    revision_id: instance.revision_id,
    caller_id: user.id,
  });
  ingress.background(storeAnswer(ingress, { id: run_id, revision_id: instance.revision_id }, ending));
  const location = `/agents/${incoming.name}/runs/${run_id}`;
  const headers = { location, 'x-run-id': run_id, ...(isDetached ? { 'preference-applied': 'respond-async' } : {}) };
  return jsonReply({ run_id, status: 'running' }, 202, headers);
}

type Ended = { answer: Answer & { retry_after: string | undefined } } | { error: unknown };

// Never rejects: nobody may be waiting for it at the moment it ends.
async function ended({ connections }: Ingress, upstream: UpstreamCall): Promise<Ended> {
  try {
    const { retry_after, ...given } = await callAgent(connections, upstream);
    return { answer: { ...(await readAnswer(upstream.agent.ref, given)), retry_after } };
  } catch (error) {
    return { error };
  }
}

/** Undefined when the budget is over, or the service stops and hands the run to the one after it. */
async function within(ending: Promise<Ended>, { sync_budget_ms, stopping }: Ingress): Promise<Ended | undefined> {
  if (stopping.aborted) return undefined;
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  const timer = setTimeout(end, sync_budget_ms);
  stopping.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([ending, over]);
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', end);
  }
}

function print(ending: Ended, run_id: string): Reply {
  if ('error' in ending) throw ending.error;
  const { status, content_type, retry_after, body } = ending.answer;
  const headers = {
    'content-type': content_type,
    'x-run-id': run_id,
    ...(retry_after === undefined ? {} : { 'retry-after': retry_after }),
  };
  return { status, headers, body };
}

// A connection that broke says nothing about the run: the container is asked, unless the service stops.
async function storeAnswer(
  ingress: Ingress,
  row: Pick<store.Invocation, 'id' | 'revision_id'>,
  ending: Promise<Ended>,
): Promise<void> {
  const end = await ending;
  if ('answer' in end) await storeEnd(ingress, row.id, end.answer);
  else await followInvocation(ingress, row);
  await ingress.forgetOld();
}
