// An admitted call on its way: under its guardrails, to an instance, to its end. Every way in shares it. A call to a sleeping agent waits
// until it has started, and is then a call like any other.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import type { Origin } from '../access/caller.ts';
import { Blocked, type GuardedCall } from '../guardrails/guarded-call.ts';
import { asProblem } from '../http/problem-reply.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { readAnswer, type Answer } from './answer.ts';
import { beginWait, longest_wait_ms } from './await-instance.ts';
import { answerOf } from './follow-invocation.ts';
import { guardedInput, guardedOutput, guardCall } from './guarded-invocation.ts';
import type { Ingress } from './ingress.ts';
import { listen, type Listener } from './listen.ts';
import { callPlaced } from './place-call.ts';
import { orRecorded, recordCall } from './record-call.ts';
import { retryWhileAway } from './retry-while-away.ts';
import { rowOfCall, type CallToStore } from './row-of-call.ts';
import { moveRun } from './start-run.ts';
import * as store from './store.ts';
import { callAgent, short_ms, type UpstreamAnswer } from './upstream.ts';

export interface NewCall extends CallToStore {
  origin: Origin;
  headers?: RequestHeaders;
  body: Uint8Array;
  /** True: the call is stored with its instance before that gets it. */
  is_stored: boolean;
  listener?: Listener | undefined;
  /** A call that is not stored yet is not begun after its abort. */
  signal?: AbortSignal;
  /** Its sender. A check of the input ends when the sender leaves, and the call is not begun. A call of a sleeping agent goes on without it. */
  sender?: AbortSignal | undefined;
}

export interface SentCall {
  guarded: GuardedCall | undefined;
  /** Never rejects: at its end, nothing may be awaiting it. */
  ending: Promise<Ended>;
  /** Ends the call if it still waits, for the container or in its queue. */
  withdraw: () => void;
  /**
   * Called once: the answer is stored. From now on the run survives this process. A sender who awaits the end itself promises nobody that the
   * container has the call, so the container is not asked for it.
   */
  detach: (sender?: { awaits_end: boolean }) => Promise<{ stored: Promise<void> }>;
}

/** `is_not_begun`: no instance has it. */
export type Ended =
  | { answer: Answer & { retry_after: string | undefined } }
  | { error: unknown; is_not_begun?: boolean };

/** Throws the refusal of a guardrail, that of a call that may not wait (await-instance.ts), and the reason of the signal. */
export async function sendCall(ingress: Ingress, call: NewCall): Promise<SentCall> {
  return call.admitted.revision.instances.length > 0 ? await sendNow(ingress, call) : sendWhenAwake(ingress, call);
}

/** Its guardrails are those of the revision that gets it. It is stored without an instance while it waits. */
function sendWhenAwake(ingress: Ingress, call: NewCall): SentCall {
  const { admitted, run } = call;
  const wait = beginWait(ingress, call);
  const withdrawing = new AbortController();
  let [is_stored, storing] = [call.is_stored, Promise.resolve()];
  let [sending, sent]: [Promise<SentCall> | undefined, SentCall | undefined] = [undefined, undefined];
  const ending = (async (): Promise<Ended> => {
    try {
      const now = await wait({ limit_ms: longest_wait_ms, signal: withdrawing.signal });
      // A row without an instance never replaces the one that sendNow stores.
      for (let before; before !== storing; await before) before = storing;
      const isMoved = now.revision.revision_id !== admitted.revision.revision_id;
      const moved = isMoved ? moveRun(ingress, now, run) : run;
      sending = sendNow(ingress, { ...call, admitted: now, run: moved, is_stored, sender: undefined });
    } catch (error) {
      recordCall(ingress, { name: 'invoke', admitted, run, guarded: undefined }, { error });
      return { error, is_not_begun: !ingress.stopping.aborted };
    }
    try {
      sent = await sending;
    } catch (error) {
      return { error, is_not_begun: true };
    }
    return await sent.ending;
  })();
  return {
    get guarded() {
      return sent?.guarded;
    },
    ending,
    withdraw: () => {
      withdrawing.abort();
      sending?.then((one) => one.withdraw()).catch(() => {}); // the end has the error
    },
    detach: async (sender) => {
      await sending?.catch(() => {}); // the end has the error
      if (sent !== undefined) return await sent.detach(sender);
      if (ingress.stopping.aborted) throw new Problem('starting', { detail: 'The service is stopping.' });
      is_stored = true;
      storing = ingress.followed.put(rowOfCall(call, null));
      await storing;
      const stored = storeAnswer(ingress, run.id, ending);
      ingress.background(stored);
      return { stored };
    },
  };
}

async function sendNow(ingress: Ingress, call: NewCall): Promise<SentCall> {
  const { admitted, run, origin, headers, body, is_stored, listener, signal: given, sender } = call;
  const { agent, revision, user, through } = admitted;
  const guarded = guardCall(ingress, admitted, run, origin);
  const refused = { name: 'invoke', admitted, run, guarded } as const;
  const leaving = AbortSignal.any([ingress.stopping, given, sender].filter((one) => one !== undefined));
  const checked = await orRecorded(ingress, refused, guardedInput(guarded, body, leaving));
  // A judge of the guardrails takes seconds.
  given?.throwIfAborted();
  const placed = ingress.open_calls.place(revision.instances);
  // The token of a run is believed while its row is open.
  let isStored = is_stored || revision.has_subagents;
  let isDetached = is_stored;
  const storeRow = async () => await ingress.followed.put(rowOfCall(call, placed.instance.instance_id));
  if (isStored)
    await storeRow().catch((error: unknown) => {
      placed.end();
      throw error;
    });
  const to = { agent, caller: user, through, method: 'POST' } as const;
  const sent = { run, body: checked, has_listener: listener !== undefined, ...(headers && { headers }) };
  const upstream = { ...to, path: '/invoke', ...sent } as const;
  const onMove = async () => (isStored ? await storeRow() : undefined);
  const ending = ended(callPlaced(ingress.connections, placed, upstream, onMove), agent.ref, guarded);
  void ending.then(placed.end);
  void ending.then((end) => recordCall(ingress, { ...refused, input: checked }, end));
  let removing = Promise.resolve();
  const forget = () => {
    if (!isStored || isDetached) return;
    isStored = false;
    removing = ingress.followed.remove(run.id);
    ingress.background(removing);
  };
  void ending.then(forget);
  const isKnown = async (signal: AbortSignal) => {
    const asking = { ...to, method: 'GET', instance: placed.instance, path: `/runs/${run.id}`, signal } as const;
    const asked = await callAgent(ingress.connections, asking).catch(() => undefined);
    await asked?.body.dump();
    return asked !== undefined && asked.status !== 404;
  };
  let knowing: Promise<unknown> | undefined;
  const known = async () => await (knowing ??= Promise.race([ending, untilKnown(isKnown)]));
  if (listener !== undefined)
    ingress.background(listen(ingress, { ...to, run_id: run.id, placed, guarded, known: known() }, listener));
  return {
    guarded,
    ending,
    withdraw: () => {
      // A stopping service hangs up too, and the next service follows its runs. A silent container starts no waiting call.
      if (ingress.stopping.aborted) return;
      const signal = AbortSignal.timeout(short_ms);
      const leave = { ...to, instance: placed.instance, path: `/runs/${run.id}/leave`, signal } as const;
      ingress.background(ended(callAgent(ingress.connections, leave), agent.ref));
    },
    detach: async ({ awaits_end } = { awaits_end: false }) => {
      isDetached = true;
      if (!isStored) {
        await removing;
        isStored = true;
        await storeRow();
      }
      const stored = storeAnswer(ingress, run.id, ending);
      ingress.background(stored);
      if (!awaits_end) await known();
      return { stored };
    },
  };
}

// After a kill -9 of this process, the next one asks the container for the answer. A silent container may have the call or not.
async function untilKnown(isKnown: (signal: AbortSignal) => Promise<boolean>): Promise<void> {
  const signal = AbortSignal.timeout(short_ms);
  while (!signal.aborted && !(await isKnown(signal))) await sleep(10);
}

async function ended(answering: Promise<UpstreamAnswer>, ref: string, guarded?: GuardedCall): Promise<Ended> {
  try {
    const { retry_after, ...given } = await answering;
    const answer = await guardedOutput(guarded, await readAnswer(ref, given));
    return { answer: { ...answer, retry_after } };
  } catch (error) {
    return { error };
  }
}

// After a broken connection the run may still work, so an ingress asks the container for its answer. A service that stops before it has
// stored the answer leaves the call to the next one too.
async function storeAnswer(ingress: Ingress, run_id: string, ending: Promise<Ended>): Promise<void> {
  const { db, stopping } = ingress;
  const end = await ending;
  const answer =
    'answer' in end
      ? end.answer
      : end.error instanceof Blocked || end.is_not_begun === true
        ? answerOf(asProblem(end.error))
        : undefined;
  if (answer !== undefined) await retryWhileAway(stopping, async () => await store.end(db, run_id, answer));
  await ingress.followed.leave(run_id);
}
