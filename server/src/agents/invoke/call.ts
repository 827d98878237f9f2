// A call to an agent stays open for the sync budget. After that the caller gets 202 with a run id, and the service stores the answer later.
// Promises: a call is pinned to its revision. The call is stored with its instance before the instance gets it. No instance begins it twice. Only
// its caller gets the answer, also after a restart. When a container dies, its runs end as `interrupted`. A caller who hangs up before an answer or
// a run id withdraws a call that waits in the container's queue. A running call continues.
import type { Caller } from '../../governance/access/caller.ts';
import type { Reply } from '../../governance/http/answer/reply.ts';
import type { RequestHeaders } from '../../governance/http/request/request-headers.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import { within } from '../../ground/within.ts';
import { findCallable } from './admit.ts';
import { callKey } from './calls/call-key.ts';
import { callOnce } from './calls/call-once.ts';
import { isDetached, runningReply } from './calls/detached.ts';
import type { Ingress } from './ingress.ts';
import { printEnded } from './calls/print-ended.ts';
import { sendCall } from './calls/send-call.ts';
import { startRun } from './calls/start-run.ts';

export interface Incoming {
  caller: Caller;
  name: string;
  headers: RequestHeaders;
  body: Uint8Array;
  signal: AbortSignal;
  trace: TraceContext;
}

export async function call(ingress: Ingress, incoming: Incoming): Promise<Reply> {
  const { caller, name, headers, body, signal } = incoming;
  const callable = await findCallable(ingress.agents, caller, name);
  // A caller who has left waits for no answer and cannot withdraw the call.
  signal.throwIfAborted();
  const key = callKey(headers);
  if (key !== undefined) return await callOnce(ingress, incoming, { callable, key });
  const admitted = callable.admit();
  const run = startRun(ingress, admitted, incoming.trace);
  const is_stored = isDetached(headers);
  const sent = await sendCall(ingress, {
    admitted,
    run,
    origin: caller.origin,
    headers,
    body,
    is_stored,
    sender: signal,
  });
  signal.addEventListener('abort', sent.withdraw, { once: true });
  // Not when the service stops: the next service follows the run.
  const { sync_budget_ms, stopping } = ingress;
  const early = is_stored ? undefined : await within(sync_budget_ms, sent.ending, stopping);
  signal.removeEventListener('abort', sent.withdraw);
  if (early !== undefined) return printEnded(early, run.id, sent);
  await sent.detach();
  return runningReply(headers, { run_id: run.id, location: `/agents/${name}/runs/${run.id}` });
}
