// A call that another asset sends. The call has its id, and is stored, before it is sent. So after a crash the same id finds its answer, or the
// instance that still works for it. No container begins the call twice. A lost call is answered with what is known of it (lost-call.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import type { Origin } from '../../../governance/access/caller.ts';
import { Blocked } from '../../../models/guardrails/guarded-call.ts';
import type { TraceContext } from '../../../ground/trace-context.ts';
import { within } from '../../../ground/within.ts';
import type { Admitted } from '../admit.ts';
import { answerOf, type Answer } from '../answer.ts';
import type { Ingress } from '../ingress.ts';
import type { Listener } from '../listen.ts';
import { cancelUntilTaken } from './repeat-cancels.ts';
import { sendCall } from './send-call.ts';
import { startRun } from './start-run.ts';
import * as store from '../store.ts';

export interface CallThrough {
  id: string;
  trace: TraceContext;
  origin: Origin;
  /** Decides now, and gives the body. Not called for a call that was sent before. */
  admit: () => Promise<{ admitted: Admitted; body: Uint8Array }>;
  /** Ends the call in the agent too. */
  signal: AbortSignal;
  /** Not of a call that was sent before. */
  listener?: Listener | undefined;
  /** The state of its thread that it answers. */
  expects?: string | undefined;
  /** The call ignored its cancel until its time was over. */
  onStays: () => void;
}

const headers = new Headers({ 'content-type': 'application/json' });
const look_again_ms = 500;
/** For a cancelled call to end. */
const grace_ms = 4000;

/** The answer, also one that says why there is none. Throws the refusal of `admit`, or the reason of the signal. */
export async function callThrough(ingress: Ingress, call: CallThrough): Promise<Answer> {
  const { id, signal } = call;
  const answering =
    (await store.findById(ingress.db, id)) === undefined ? send(ingress, call) : storedEnd(ingress, id, signal);
  const aborted = Promise.withResolvers<undefined>();
  const onAbort = () => aborted.resolve(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const answer = await Promise.race([answering, aborted.promise]);
    if (answer !== undefined) return answer;
    answering.catch(() => {}); // the reason of the signal is thrown instead
    // Only a refusal ends the call. A process that loses the run leaves the call to the next one.
    if (signal.reason instanceof Problem && !(await endedByCancel(ingress, id))) call.onStays();
    throw signal.reason;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function send(
  ingress: Ingress,
  { id, trace, origin, admit, signal, listener, expects }: CallThrough,
): Promise<Answer> {
  const { admitted, body } = await admit();
  signal.throwIfAborted();
  const run = startRun(ingress, admitted, trace, id);
  const demand = { expects };
  const sent = await sendCall(ingress, {
    admitted,
    run,
    origin,
    headers,
    body,
    is_stored: true,
    listener,
    signal,
    demand,
  });
  await sent.detach({ awaits_end: true });
  // A cancel that came before the call was stored has found nothing to end.
  if (signal.reason instanceof Problem) await endedByCancel(ingress, id);
  const end = await sent.ending;
  if ('answer' in end) return end.answer;
  if (end.error instanceof Blocked) return answerOf(end.error);
  // The connection broke, but the container may still work for the call.
  return await storedEnd(ingress, id, signal);
}

/** Waits for the end of a call that this ingress or another one follows. */
async function storedEnd({ db }: Ingress, id: string, signal: AbortSignal): Promise<Answer> {
  for (;;) {
    const row = await store.findById(db, id);
    if (row === undefined) throw new Error(`the stored call ${id} is gone`);
    const { status, content_type, body } = row;
    if (status !== null && content_type !== null && body !== null) return { status, content_type, body };
    await sleep(look_again_ms, undefined, { signal });
  }
}

/** False when the call has not ended in time. */
async function endedByCancel(ingress: Ingress, id: string): Promise<boolean> {
  const row = await store.findById(ingress.db, id);
  if (row === undefined || row.state === 'ended') return true;
  return (
    (await cancelUntilTaken(ingress, row)) &&
    (await within(grace_ms, storedEnd(ingress, id, ingress.stopping))) !== undefined
  );
}
