// An admitted call on its way: under its guardrails, to an instance, to its end. Every way in shares it. call-state.ts has the states of a call
// and their promises. A call waits for a sleeping agent, and again when no instance has begun it. After a broken connection its container is
// asked for the answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import type { Origin } from '../../../governance/access/caller.ts';
import type { GuardedCall } from '../../../models/guardrails/guarded-call.ts';
import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';
import { within } from '../../../ground/within.ts';
import type { Admitted } from '../admit.ts';
import { readAnswer, type Answer } from '../answer.ts';
import { askForEnd } from './ask-for-end.ts';
import { beginWait, longest_wait_ms } from '../await-instance.ts';
import { fileCheck } from '../files/check-files.ts';
import { guardedInput, guardedOutput, guardCall } from '../streams/guarded-invocation.ts';
import type { Ingress } from '../ingress.ts';
import { listen, type Listener } from '../listen.ts';
import { notBegun } from './lost-call.ts';
import { callPlaced, isNotConnected, type PlacedCall } from './place-call.ts';
import { recordCall } from './record-call.ts';
import { rowOfCall, type CallToStore } from './row-of-call.ts';
import { sealInput } from './sealed-input.ts';
import { moveRun } from './start-run.ts';
import { trackCall, type Ended } from './track-call.ts';
import { awaitTurn, turnOf, type Demand } from '../turns.ts';
import { statusIn } from './outcome.ts';
import {
  callAgent,
  short_ms,
  type Sending,
  type StartedRun,
  type UpstreamAnswer,
  type UpstreamCall,
} from '../upstream.ts';
import { watchBegin } from './watch-begin.ts';

export type { Ended } from './track-call.ts';

export interface NewCall extends CallToStore {
  origin: Origin;
  headers?: RequestHeaders;
  body: Uint8Array;
  /** True: the call is stored before an instance gets it, and survives this process from then on. */
  is_stored: boolean;
  listener?: Listener | undefined;
  /** What it demands of its thread. */
  demand?: Demand;
  /** How langgraph runs it, as JSON. */
  graph?: string | undefined;
  /** A call that is not stored yet is not begun after its abort. */
  signal?: AbortSignal;
  /** Its sender. A check of the input ends when the sender leaves, and the call is not begun. An accepted call goes on without it. */
  sender?: AbortSignal | undefined;
  /** For a stored call that another process has begun to send: its last sending, and the rest of its time. */
  earlier?: { attempt: number; limit_ms: number };
}

export interface SentCall {
  /** Undefined without guardrails, and while the call waits for its first instance. */
  readonly guarded: GuardedCall | undefined;
  /** Never rejects: at its end, nothing may be awaiting it. */
  ending: Promise<Ended>;
  /** Ends the call if it still waits, here or in the queue of its container. */
  withdraw: () => void;
  /**
   * Called once: the answer is stored. From now on the run survives this process. A sender who awaits the end itself promises nobody that the
   * container has the call, so the container is not asked for it at once.
   */
  detach: (sender?: { awaits_end: boolean }) => Promise<{ stored: Promise<void> }>;
}

/** A call as it goes out, under the guardrails of the revision that gets it. */
interface Prepared {
  admitted: Admitted;
  run: StartedRun;
  guarded: GuardedCall | undefined;
  /** Undefined until its guardrails have let it pass. */
  input?: Uint8Array;
}

const first_pause_ms = 100;
const pause_ms = 1000;

/**
 * Throws the refusal of a guardrail, `file_refused`, that of a call that may not wait (await-instance.ts), and the reason of the signal. Later refusals are
 * the end of the call.
 */
export async function sendCall(ingress: Ingress, call: NewCall): Promise<SentCall> {
  const { run, body, origin, headers, listener, earlier, signal, sender } = call;
  const { stopping, open_calls, connections } = ingress;
  const background = (work: Promise<unknown>) => ingress.background(work);
  const began_at = performance.now();
  const turnIn = turnOf(run.id, body, call.demand);
  const checkFiles = fileCheck(ingress, body);
  const until = began_at + (earlier?.limit_ms ?? longest_wait_ms);
  const withdrawing = new AbortController();
  const onItsWay = Promise.withResolvers<void>();
  let attempt = earlier?.attempt ?? 0;
  let prepared: Prepared | undefined;
  /** The instance that has the call now, or had it last. */
  let placed: PlacedCall | undefined;
  /** The only start that may begin the call, and its instance. */
  let sent: (Sending & { instance_id: string }) | undefined;
  let [isBegun, isHeard, isAccepted, isInputStored] = [false, false, false, false];
  let end: Ended | undefined;

  const rowNow = () => {
    const isOver = isBegun || (end !== undefined && !('error' in end && end.is_left === true));
    const isKept = tracked.state.row === 'answer' && call.admitted.through === undefined;
    const isSealed = isKept && !isOver && !isInputStored;
    isInputStored ||= isSealed;
    const sealed = isSealed && {
      input: sealInput(ingress.envelope, run.id, { headers, body, trace: run.trace, graph: call.graph }),
    };
    const progress = { start_id: sent?.start ?? null, attempt, is_begun: isBegun };
    const { admitted } = prepared ?? call;
    return rowOfCall({ ...call, admitted, turn: turnIn(admitted) }, sent?.instance_id ?? null, { progress, ...sealed });
  };
  const tracked = trackCall(ingress, { id: run.id, now: rowNow, end: () => end }, call.is_stored ? 'answer' : 'none');
  const { tell } = tracked;
  const isSent = () => tracked.state.at === 'sent' || tracked.state.at === 'begun';
  const tellBegun = async (of: number) => {
    await tell('begun', () => {
      const isTrue = of === attempt && isSent();
      isBegun ||= isTrue;
      return isTrue;
    });
  };
  const watch = watchBegin({ tell: tellBegun, background });
  /** A connection was not made, and the call waits again. */
  const backToWaiting = Promise.withResolvers<void>();
  const accept = () => {
    isAccepted = true;
    onItsWay.resolve();
  };

  async function notBegunThere(): Promise<void> {
    // A container that contradicts itself gets no second sending: one of its two words is true.
    if (tracked.state.at === 'begun')
      throw new Problem('agent_error', {
        detail: `${call.admitted.agent.ref} said that it works for the call, and then that it never began it.`,
      });
    sent = undefined;
    if (tracked.state.at !== 'waiting') await tell('not_begun');
  }

  /** As of now, at an instance. Throws the refusal, and the reason when the call may wait no longer. */
  async function untilPlaceable(tries: number, last: Admitted): Promise<Admitted> {
    let now = last;
    if (tries > 0) {
      await tell('waits');
      accept();
      backToWaiting.resolve();
      now = await untilAdmitted(tries, last);
      if (performance.now() >= until)
        throw new Problem('agent_unavailable', { detail: `${now.agent.ref} did not take the call in time.` });
    }
    if (now.revision.instances.length > 0) return now;
    const wait = beginWait(ingress, { admitted: now, body });
    const onEntered = async () => {
      await tell('waits');
      accept();
    };
    return await wait({ limit_ms: Math.max(0, until - performance.now()), signal: withdrawing.signal, onEntered });
  }

  async function untilAdmitted(tries: number, last: Admitted): Promise<Admitted> {
    const leaving = AbortSignal.any([stopping, withdrawing.signal]);
    for (let n = tries; ; n++) {
      await sleep(Math.min(pause_ms, first_pause_ms * n), undefined, { signal: leaving }).catch(() => {}); // the next lines say why
      if (stopping.aborted) throw new Problem('starting', { detail: 'The service is stopping.' });
      if (leaving.aborted) throw new Problem('cancelled', { detail: `The caller of ${last.agent.ref} has left.` });
      try {
        return await last.again();
      } catch (error) {
        // A caller on a connection is told at once that the container is gone.
        const isAway = error instanceof Problem && error.code === 'agent_unavailable';
        if (!isAway || tracked.state.row !== 'answer' || performance.now() >= until) throw error;
      }
    }
  }

  async function prepare(admitted: Admitted): Promise<Prepared> {
    const { revision_id } = admitted.revision;
    if (prepared?.admitted.revision.revision_id === revision_id) return { ...prepared, admitted };
    const moved = revision_id === call.admitted.revision.revision_id ? run : moveRun(ingress, admitted, run);
    const guarded = guardCall(ingress, admitted, moved, origin);
    prepared = { admitted, run: moved, guarded };
    const leaving = AbortSignal.any(
      [stopping, signal, isAccepted ? undefined : sender].filter((one) => one !== undefined),
    );
    await checkFiles(admitted, leaving);
    if (guarded === undefined) return { ...prepared, input: body };
    return { ...prepared, input: await guardedInput(guarded, body, leaving) };
  }

  /** One sending to each instance at most. Undefined: none has begun it. */
  async function sendOnce(
    { admitted, run: sentRun, guarded, input }: Prepared,
    at: PlacedCall,
  ): Promise<Ended | undefined> {
    const { agent, user: caller, through } = admitted;
    const to = { agent, caller, through } as const;
    const ask = { ...to, run_id: run.id };
    const thread = turnIn(admitted)?.name;
    const beforeSending = async () => {
      await notBegunThere();
      if (tracked.state.row === 'answer' && at.start === undefined) await askStart(ingress, ask, at);
      sent = { start: at.start ?? undefined, attempt: ++attempt, instance_id: at.instance.instance_id };
      await tell('placed');
      if (thread !== undefined) {
        // It may wait for long, and its sender is told so after the sync budget.
        accept();
        await awaitTurn(ingress, run.id, withdrawing.signal);
      }
      await tell('sent');
      accept();
      watch.sent(attempt, async () => await askStatus(ingress, ask, at));
      if (listener !== undefined && !isHeard) {
        isHeard = true;
        watch.askNow();
        background(
          listen(ingress, { ...ask, placed: at, guarded, known: Promise.race([watch.known, ending]) }, listener),
        );
      }
      return sent;
    };
    const has_listener = listener !== undefined;
    const upstream = {
      ...to,
      method: 'POST',
      path: '/invoke',
      run: sentRun,
      thread,
      graph: call.graph,
      has_listener,
      ...(input && { body: input }),
    } as const;
    try {
      const answered = await callPlaced(connections, at, { ...upstream, ...(headers && { headers }) }, beforeSending);
      const { not_begun, retry_after } = answered;
      // A full agent refuses its callers. A call that was accepted by an earlier process goes on.
      if (not_begun === undefined || (not_begun === 'full' && earlier === undefined))
        return await passed(guarded, { ...(await readAnswer(agent.ref, answered)), retry_after });
      await answered.body.dump();
    } catch (error) {
      const isBroken = error instanceof Problem && error.code === 'agent_unavailable';
      if (isBroken && isSent() && !isNotConnected(error)) return await askedEnd(guarded);
      if (!isNotConnected(error)) throw error;
    }
    await notBegunThere();
    return undefined;
  }

  async function passed(
    guarded: GuardedCall | undefined,
    answer: Answer & { retry_after: string | undefined },
  ): Promise<Ended> {
    return { answer: await guardedOutput(guarded, answer) };
  }

  /** After a broken connection the run may still work. Undefined: it never began. */
  async function askedEnd(guarded: GuardedCall | undefined): Promise<Ended | undefined> {
    if (sent === undefined) throw new Error('only a sent call is asked for');
    const { instance_id, start = null } = sent;
    const stored_seconds_ago = Math.ceil((performance.now() - began_at) / 1000) + 1;
    const asked = { id: run.id, instance_id, start_id: start, attempt, is_begun: isBegun, stored_seconds_ago };
    const leaving = AbortSignal.any([stopping, withdrawing.signal]);
    const found = await askForEnd(ingress, asked, { signal: leaving, onBegun: async () => await tellBegun(attempt) });
    if (found === undefined)
      return { error: new Problem('starting', { detail: 'The service is stopping.' }), is_left: true };
    if (found === 'never_begun') {
      await notBegunThere();
      return undefined;
    }
    return 'answer' in found
      ? await passed(guarded, { ...found.answer, retry_after: undefined })
      : { error: found.problem };
  }

  async function carry(): Promise<Ended> {
    let { admitted } = call;
    // Before a sleeping agent is woken for it.
    await checkFiles(admitted, sender);
    for (let tries = 0; ; tries++) {
      admitted = await untilPlaceable(tries, admitted);
      const now = await prepare(admitted);
      prepared = now;
      // A judge of the guardrails takes seconds.
      if (tries === 0) signal?.throwIfAborted();
      if (admitted.revision.needs_row || turnIn(admitted) !== undefined) tracked.needToken();
      placed = open_calls.place(admitted.revision.instances);
      try {
        const ended = await sendOnce(now, placed);
        if (ended !== undefined) return ended;
      } finally {
        placed.end();
      }
    }
  }

  function failed(error: unknown): Ended {
    const isWaiting = !isSent();
    const is_left = stopping.aborted && isWaiting;
    const is_not_begun = isWaiting && !is_left;
    return { error: is_not_begun && error instanceof Problem ? notBegun(run.id, error) : error, is_not_begun, is_left };
  }

  const ending = carry()
    .catch(failed)
    .then((ended) => {
      end = ended;
      watch.end();
      if (isAccepted || prepared !== undefined) {
        const { input, ...of } = prepared ?? { admitted: call.admitted, run, guarded: undefined, input: undefined };
        recordCall(ingress, { name: 'invoke', ...of, ...(input && { input }) }, ended);
      }
      return ended;
    });
  const store = async () => {
    const ended = await ending;
    const told = listener?.beforeEnd?.(ended) ?? Promise.resolve();
    background(told);
    await told.catch(() => {}); // it is reported, and the call has ended all the same
    await tell('error' in ended && ended.is_left === true ? 'left' : 'ended');
  };
  const stored = store();
  background(stored);
  const first = await Promise.race([onItsWay.promise, ending]);
  if (first !== undefined && 'error' in first && !isAccepted) throw first.error;

  return {
    get guarded() {
      return prepared?.guarded;
    },
    ending,
    withdraw: () => {
      // A stopping service hangs up too, and the next service follows its runs. A silent container starts no waiting call.
      if (stopping.aborted) return;
      withdrawing.abort();
      if (placed === undefined || !isSent()) return;
      const { agent, user: caller, through } = (prepared ?? call).admitted;
      const leaving = { agent, caller, through, method: 'POST', instance: placed.instance } as const;
      background(
        told(
          callAgent(connections, { ...leaving, path: `/runs/${run.id}/leave`, signal: AbortSignal.timeout(short_ms) }),
        ),
      );
    },
    detach: async ({ awaits_end } = { awaits_end: false }) => {
      await tell('detached');
      if (!awaits_end) watch.askNow();
      if (!awaits_end && isSent()) await within(short_ms, Promise.race([watch.known, ending, backToWaiting.promise]));
      return { stored };
    },
  };
}

type Asked = Pick<UpstreamCall, 'agent' | 'caller' | 'through'> & { run_id: string };

/** Which start of the container it is. Throws `agent_unavailable` when no connection was made. */
async function askStart({ connections }: Ingress, { agent }: Asked, at: PlacedCall): Promise<void> {
  const signal = AbortSignal.timeout(short_ms);
  try {
    const { start, body } = await callAgent(connections, {
      agent,
      instance: at.instance,
      method: 'GET',
      path: '/health',
      signal,
    });
    at.heard(start);
    await body.dump();
  } catch (error) {
    if (isNotConnected(error)) throw error;
  }
}

/** Undefined when the container does not know the call, or not yet. */
async function askStatus({ connections }: Ingress, { run_id, ...to }: Asked, at: PlacedCall) {
  const signal = AbortSignal.timeout(short_ms);
  const { instance } = at;
  try {
    const answered = await callAgent(connections, { ...to, instance, method: 'GET', path: `/runs/${run_id}`, signal });
    const { status, body } = await readAnswer(to.agent.ref, answered);
    if (status === 404) return undefined;
    return statusIn(body) === 'queued' ? 'queued' : 'begun';
  } catch {
    return undefined;
  }
}

/** A container that does not answer has no waiting call to drop. */
async function told(answering: Promise<UpstreamAnswer>): Promise<void> {
  await answering.then(async ({ body }) => await body.dump()).catch(() => {});
}
