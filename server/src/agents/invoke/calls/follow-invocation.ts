// Follows a stored call that has no connection, sent by this process or by one that has died. Asks the container for the answer. A call that no
// container has begun is sent again, with the sealed input of its row. That sending is decided anew, because its caller or its agent may have lost
// the right.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import { noRequest } from '../../../governance/access/caller.ts';
import type { CalledRevision } from '../../deploy/serving/serving.ts';
import { asProblem } from '../../../governance/http/refusals/problem-reply.ts';
import type { Admitted } from '../admit.ts';
import { admitFor } from '../admit-for.ts';
import { answerOf, type Answer } from '../answer.ts';
import { askForEnd } from './ask-for-end.ts';
import { longest_wait_ms } from '../await-instance.ts';
import { guardedOutput, guardInvocation } from '../streams/guarded-invocation.ts';
import type { Ingress } from '../ingress.ts';
import { notBegun } from './lost-call.ts';
import { retryWhileAway } from './retry-while-away.ts';
import { openInput } from './sealed-input.ts';
import { sendCall } from './send-call.ts';
import { startRun } from './start-run.ts';
import * as store from '../store.ts';

const look_again_ms = 500;

/** Ends when the answer is stored, when this ingress loses the call, or when the service stops. Then another one follows the run again. */
export async function followInvocation(ingress: Ingress, row: store.Claimed, lost: AbortSignal): Promise<void> {
  const { db, owner } = ingress;
  const signal = AbortSignal.any([ingress.stopping, lost]);
  const end = async (answer: Answer) =>
    await retryWhileAway(signal, async () => await store.end(db, row.id, answer, owner));
  const { instance_id } = row;
  if (instance_id !== null) {
    const onBegun = async () => await retryWhileAway(signal, async () => await store.setBegun(db, row.id));
    const found = await askForEnd(ingress, { ...row, instance_id }, { signal, onBegun });
    if (found === undefined) return;
    if (found !== 'never_begun') {
      const answer =
        'answer' in found ? await guardedAnswer(ingress, { row, ...found, signal }) : answerOf(found.problem);
      if (answer !== undefined) await end(answer);
      return;
    }
    // From now on no start may begin it, so another process need not ask again.
    await retryWhileAway(signal, async () => await store.setWaiting(db, row.id, owner));
  }
  try {
    await sendAgain(ingress, row, signal);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (!signal.aborted) await end(answerOf(notBegun(row.id, asProblem(error))));
  }
}

/** Throws the refusal of a call that is not sent any more. */
async function sendAgain(ingress: Ingress, row: store.Claimed, signal: AbortSignal): Promise<void> {
  const { db, envelope } = ingress;
  if (row.cancel_pending) throw new Problem('cancelled', { fields: { run_id: row.id, run_status: 'cancelled' } });
  const sealed = await retryWhileAway(signal, async () => await store.inputOf(db, row.id));
  if (signal.aborted) return;
  // The asset that sends a call sends it again itself.
  if (sealed === undefined || sealed === null)
    throw new Problem('agent_unavailable', { detail: 'The service stopped before it sent the call.' });
  const until = performance.now() + longest_wait_ms - row.stored_seconds_ago * 1000;
  const admitted = await untilAnswering(async () => await admitFor(ingress, row), { until, signal });
  if (admitted === undefined) return;
  const { headers, body, trace, graph } = openInput(envelope, row.id, sealed);
  const run = startRun(ingress, admitted, trace, row.id);
  const limit_ms = Math.max(0, until - performance.now());
  const sent = await sendCall(ingress, {
    admitted,
    run,
    origin: noRequest(),
    ...(headers && { headers }),
    body,
    graph,
    is_stored: true,
    earlier: { attempt: row.attempt, limit_ms },
    signal,
  });
  const { stored } = await sent.detach({ awaits_end: true });
  await stored;
}

/** Undefined when the signal ends first. */
async function untilAnswering(
  admitting: () => Promise<Admitted>,
  { until, signal }: { until: number; signal: AbortSignal },
): Promise<Admitted | undefined> {
  while (!signal.aborted) {
    try {
      return await retryWhileAway(signal, admitting);
    } catch (error) {
      const isAway = error instanceof Problem && error.code === 'agent_unavailable';
      if (!isAway || performance.now() >= until) throw error;
    }
    await sleep(look_again_ms, undefined, { signal }).catch(() => {}); // the loop ends
  }
  return undefined;
}

// What the caller had sent is not kept, so no value of it may come out again. Undefined when the signal ends the check.
async function guardedAnswer(
  ingress: Ingress,
  {
    row,
    answer,
    revision,
    signal,
  }: { row: store.Claimed; answer: Answer; revision: CalledRevision; signal: AbortSignal },
): Promise<Answer | undefined> {
  const of = { run_id: row.id, root_run_id: row.root_run_id ?? row.id, caller_id: row.caller_id };
  const run = { ...of, trace_id: null, revision, origin: noRequest(), signal };
  try {
    return await guardedOutput(guardInvocation(ingress, run), answer);
  } catch (error) {
    if (error instanceof Problem) return answerOf(error);
    if (signal.aborted) return undefined;
    throw error;
  }
}
