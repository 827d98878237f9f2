// A call of an agent under its guardrails: its input before it is sent, its answer before anyone gets or stores it.
import { Problem } from '@gantry/contract/problems.ts';
import type { Origin } from '../../../governance/access/caller.ts';
import type { CalledRevision } from '../../deploy/serving/serving.ts';
import { askJudge } from '../../../models/gateway/judging/ask-judge.ts';
import { dataOf, eventsIn, printEvent } from '../../../governance/http/answer/event-stream.ts';
import { isJson } from '../../../models/gateway/wires/wire.ts';
import { forgetGiven, givenTo } from '../../../models/guardrails/given.ts';
import { Blocked, GuardedCall } from '../../../models/guardrails/guarded-call.ts';
import { GuardedEvents, type Event } from '../../../models/guardrails/guarded-events.ts';
import { checkTexts, parseExactly, type DocumentText } from '../../../models/guardrails/json-texts.ts';
import { printDone } from '../../../models/guardrails/print-done.ts';
import { JudgeFailed } from '../../../models/guardrails/rule.ts';
import { parseJson } from '../../../governance/http/request/body.ts';
import type { Admitted } from '../admit.ts';
import { aguiEvents, invocationDocument } from './agui-events.ts';
import { keyCaller } from '../../../models/keys/calls/key-caller.ts';
import type { Answer } from '../answer.ts';
import type { Ingress } from '../ingress.ts';
import { textOfOutput } from './text-of-output.ts';
import type { StartedRun } from '../upstream.ts';

interface GuardedRun {
  run_id: string;
  root_run_id: string;
  trace_id: string | null;
  revision: CalledRevision;
  caller_id: string | null;
  origin: Origin;
  /** Ends its checks. Without one, they end when the service stops. */
  signal?: AbortSignal;
}

/** The guardrails of a call that has just come. */
export function guardCall(
  ingress: Ingress,
  { revision, user }: Admitted,
  { id, root_run_id, trace }: StartedRun,
  origin: Origin,
): GuardedCall | undefined {
  const run = { run_id: id, root_run_id, trace_id: trace.trace_id };
  return guardInvocation(ingress, { ...run, revision, caller_id: user.id, origin });
}

/** Undefined without guardrails at the ways in and out. */
export function guardInvocation(
  { db, models, guardrails, stopping }: Pick<Ingress, 'db' | 'models' | 'guardrails' | 'stopping'>,
  { run_id, root_run_id, trace_id, revision, caller_id, origin, signal = stopping }: GuardedRun,
): GuardedCall | undefined {
  const { agent_id, revision_id, team_id, rules, key_id } = revision;
  if (!rules.some(({ places }) => places.some((place) => place.startsWith('ingress')))) return undefined;
  return new GuardedCall(rules, {
    ask: (rule, ending) => async (request) => {
      const payer = key_id === null ? undefined : await keyCaller(db, key_id, origin);
      if (payer === undefined) throw new JudgeFailed('the agent has no key that could pay for it');
      const run = { revision_id, run_id, root_run_id, caller_id, trace_id };
      return await askJudge(await models(), { payer, run })(rule, ending)(request);
    },
    given: {
      read: async () => await givenTo(db, run_id),
      forget: async () => await forgetGiven(db, run_id),
    },
    record: guardrails.of({ agent_id, team_id, key_prefix: null, run_id }),
    signal,
  });
}

/** The body that may go on. Throws `Blocked`, `malformed` for a body that no rule can read, and the reason of the signal. */
export async function guardedInput(
  guarded: GuardedCall | undefined,
  body: Uint8Array,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  if (guarded === undefined) return body;
  const sent = parseJson(body, parseExactly);
  const checked = await checkTexts(sent, invocationDocument, async (texts) => {
    await guarded.learn(texts, signal);
    return await guarded.check('ingress_in', texts, signal);
  });
  return checked === sent ? body : Buffer.from(JSON.stringify(checked));
}

/** The answer that may go on. Throws `Blocked`, and the reason of the signal. */
export async function guardedOutput<A extends Answer>(
  guarded: GuardedCall | undefined,
  answer: A,
  signal?: AbortSignal,
): Promise<A> {
  if (guarded === undefined) return answer;
  try {
    return await checkedOutput(guarded, answer, signal);
  } finally {
    await guarded.end();
  }
}

async function checkedOutput<A extends Answer>(guarded: GuardedCall, answer: A, signal?: AbortSignal): Promise<A> {
  const check = async (texts: readonly DocumentText[]) => await guarded.check('ingress_out', texts, signal);
  const text = answer.body.toString();
  if (answer.content_type.startsWith('text/plain')) {
    const { output } = await checkTexts({ output: text }, invocationDocument, check);
    return { ...answer, body: Buffer.from(output) };
  }
  const said = readJson(text);
  const checked = await checkTexts(said, invocationDocument, check);
  if (isJson(checked) && 'output' in checked) await guarded.checkAnswer(textOfOutput(checked['output']), signal);
  const noted =
    isJson(checked) && guarded.notes.length > 0 ? { ...checked, guardrails: { notes: guarded.notes } } : checked;
  return noted === said ? answer : { ...answer, body: Buffer.from(JSON.stringify(noted)) };
}

function readJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    throw new Problem('agent_error', { detail: 'The answer is no JSON, so no guardrail can read it.' });
  }
}

/** As `passedEvents`, printed. */
export async function* guardedEvents(
  guarded: GuardedCall,
  chunks: AsyncIterable<Uint8Array | string>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const event of passedEvents(guarded, chunks, signal)) yield printEvent(event);
}

/** The events that may go on. A blocked stream ends with RUN_ERROR. Throws the reason of the signal, which ends when nobody reads the events any more. */
export async function* passedEvents(
  guarded: GuardedCall,
  chunks: AsyncIterable<Uint8Array | string>,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  const events = new GuardedEvents(guarded, aguiEvents, { place: 'ingress_out', signal });
  let isAnswered = false;
  try {
    for await (const event of readEvents(chunks)) {
      const passed = await events.take(event);
      if (event['type'] === 'TEXT_MESSAGE_END') isAnswered = true;
      // A crew streams no text, and its answer is only here.
      if (event['type'] === 'RUN_FINISHED' && !isAnswered)
        await guarded.checkAnswer(textOfOutput(event['result']), signal);
      if (event['type'] === 'RUN_FINISHED' || event['type'] === 'RUN_ERROR') passed.splice(-1, 0, doneEvent(guarded));
      yield* passed;
    }
    yield* await events.end();
  } catch (error) {
    if (!(error instanceof Blocked)) throw error;
    yield doneEvent(guarded);
    yield { type: 'RUN_ERROR', code: error.code, message: error.detail };
  } finally {
    await guarded.end();
  }
}

/** Reads the events of chunks. Each chunk has whole events. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Event> {
  for await (const chunk of chunks)
    for (const bytes of eventsIn(Buffer.from(chunk))) {
      const event = dataOf(bytes);
      if (event !== undefined) yield event;
    }
}

function doneEvent({ done, notes }: GuardedCall): Event {
  return {
    type: 'CUSTOM',
    name: 'guardrails',
    value: { summary: printDone(done), ...(notes.length > 0 && { notes }) },
  };
}
