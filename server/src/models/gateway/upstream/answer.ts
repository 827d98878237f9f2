// The answer of an upstream on its way to the client. Promise: the hold is settled by its usage, also when the client has left.
import { Problem } from '@gantry/contract/problems.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { Blocked } from '../../guardrails/guarded-call.ts';
import { guardrailsHeader } from '../../guardrails/print-done.ts';
import { within } from '../../../ground/within.ts';
import { answerHeaders } from './answer-headers.ts';
import { settle, settleEstimate, type Attempt } from './attempt.ts';
import { AttemptFailed, unavailable } from './attempt-failed.ts';
import { placeOf } from './attempts.ts';
import { brokenBy } from './connection-problem.ts';
import { canBeCut, costOfCut, openProduced } from './cut-stream.ts';
import { wholeEvents } from '../../../governance/http/answer/event-stream.ts';
import { readEvents } from '../events.ts';
import { guardedAnswer, guardedStream } from '../judging/guarded-answer.ts';
import { withEvents } from '../lines.ts';
import { limitHeader } from '../admission/output-limit.ts';
import { hideCredential, hideInBytes, hideKeys } from './hide-credential.ts';
import type { Upstream } from '../model.ts';
import { KeyEnded } from '../admission/open-calls.ts';
import type { UpstreamAnswer } from './upstream.ts';
import { isJson, usageIn, type Json } from '../wires/wire.ts';

const max_answer_bytes = 32 * 1024 * 1024;
const max_event_bytes = 8 * 1024 * 1024;
/** How long an answer is still read for its usage when its client has gone. */
const drain_ms = 30_000;

/** Passes on the answer of a 2xx. Throws AttemptFailed, and then settles nothing. */
export async function passAnswer(attempt: Attempt, upstream: Upstream, answer: UpstreamAnswer): Promise<Reply> {
  const read = attempt.wire.kind === 'ollama' ? withEvents(answer) : answer;
  if (read.content_type.startsWith('text/event-stream')) return streamed(attempt, upstream, read);
  return await whole(attempt, upstream, read);
}

async function whole(attempt: Attempt, upstream: Upstream, answer: UpstreamAnswer): Promise<Reply> {
  const { wire, model, client, guarded, whileWaiting } = attempt;
  const reading = readWhole(attempt, upstream, answer);
  const left = Promise.withResolvers<undefined>();
  client.addEventListener('abort', () => left.resolve(undefined), { once: true });
  if (client.aborted) left.resolve(undefined);
  const bytes =
    (await whileWaiting(Promise.race([reading, left.promise]))) ??
    (client.reason instanceof KeyEnded ? undefined : await whileWaiting(within(drain_ms, reading)));
  if (bytes === undefined) {
    reading.catch(() => {}); // nobody waits for it any more
    answer.body.destroy();
    throw new AttemptFailed(unavailable(model, 'the client has left'), { kind: 'abandoned' });
  }
  const said = readJson(bytes);
  if (said === undefined)
    throw new AttemptFailed(
      new Problem('model_error', { detail: `models/${model.name} answered with something else than JSON.` }),
      { kind: 'broken' },
    );
  const counts = wire.countsIn(said);
  settle(attempt, 'answered', usageIn(wire, counts));
  const body = guarded === undefined ? bytes : JSON.stringify(await guardedAnswer(guarded, wire, said));
  const headers = {
    'content-type': 'application/json',
    ...answerHeaders(attempt),
    ...(wire.isCut(said) && limitHeader(attempt)),
  };
  return {
    status: 200,
    headers: { ...headers, ...(guarded && guardrailsHeader(guarded.done)) },
    body: hideInBytes(body, upstream.credential),
  };
}

async function readWhole({ model, client }: Attempt, upstream: Upstream, { body }: UpstreamAnswer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > max_answer_bytes) throw new RangeError(`its answer exceeds ${max_answer_bytes} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    const kind = client.reason instanceof KeyEnded ? 'abandoned' : 'broken';
    throw new AttemptFailed(unavailable(model, brokenBy(cause, model, upstream)), { kind, cause });
  }
  return Buffer.concat(chunks, size);
}

function readJson(bytes: Buffer): Json | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function streamed(attempt: Attempt, upstream: Upstream, { content_type, body }: UpstreamAnswer): Reply {
  return {
    status: 200,
    headers: {
      'content-type': hideCredential(content_type, upstream.credential),
      'cache-control': 'no-store',
      ...answerHeaders(attempt),
      // Nobody knows yet whether the answer will reach it.
      ...limitHeader(attempt),
    },
    body: eventsOf(attempt, upstream, body),
  };
}

async function* eventsOf(
  attempt: Attempt,
  upstream: Upstream,
  body: UpstreamAnswer['body'],
): AsyncGenerator<Uint8Array | string> {
  const { wire, sent, gateway, model, key, client, guarded } = attempt;
  const { credential } = upstream;
  const call = gateway.open_calls.open(key.id, client);
  const guard = guarded && guardedStream(guarded, wire, call.signal);
  const events = wholeEvents(body, max_event_bytes);
  let reading = events.next();
  let counts: Json | undefined;
  let isOver = false;
  let hasKeyEnded = false;
  const canCut = canBeCut(attempt);
  const produced = openProduced(wire);
  // A provider that thinks sends nothing, so nothing else would end the wait for it.
  if (canCut) call.signal.addEventListener('abort', () => body.destroy(), { once: true });
  const isLeft = () => canCut && call.signal.aborted;
  const look = (bytes: Buffer) => {
    const seen = readEvents(bytes, { wire, sent, counts });
    ({ counts } = seen);
    if (canCut) produced.add(bytes);
    return seen;
  };
  const settleWhole = () => settle(attempt, 'answered', usageIn(wire, counts));
  try {
    for (;;) {
      const next = await call.whileKeyWorks(reading);
      if (isLeft()) return;
      if (next.done === true) break;
      const { bytes, has_error } = look(next.value);
      const passed = guard === undefined ? bytes : await call.whileKeyWorks(guard.take(bytes));
      if (passed.length > 0)
        yield has_error ? hideKeys(passed.toString(), credential) : hideInBytes(passed, credential);
      reading = events.next();
    }
    if (guard !== undefined) yield hideCredential(await call.whileKeyWorks(guard.end()), credential);
    isOver = true;
    settleWhole();
  } catch (cause) {
    if (cause instanceof Blocked || cause instanceof KeyEnded) {
      hasKeyEnded = cause instanceof KeyEnded;
      yield wire.printBreak(cause);
      return;
    }
    if (isLeft()) return;
    isOver = true;
    // Some vendors count as they go on, so the last counts are not those of the end.
    settle(attempt, 'failed', undefined);
    const problem = unavailable(model, brokenBy(cause, model, upstream));
    gateway.health.failed(placeOf(model, upstream), problem.detail);
    gateway.onBroken(cause);
    yield wire.printBreak(problem);
  } finally {
    call.close();
    if (!isOver) leave();
  }

  /** The client has left, or its key has ended. */
  function leave(): void {
    if (canCut || hasKeyEnded) {
      body.destroy();
      reading.catch(() => {}); // nobody waits for it any more
      const usage = canCut ? usageIn(wire, counts) : undefined;
      // The counts of these providers come with the end of the answer.
      if (usage !== undefined) settle(attempt, 'answered', usage);
      else settleEstimate(attempt, canCut ? costOfCut(attempt, produced.bytes()) : undefined);
      return;
    }
    // The upstream goes on and bills, so its usage is still wanted.
    gateway.background(drain());
  }

  async function drain(): Promise<void> {
    const rest = async () => {
      // Counts that were read before the end may be read again.
      for (let next = await reading; next.done !== true; next = await events.next()) look(next.value);
      return true;
    };
    const isWhole = await within(
      drain_ms,
      rest().catch(() => false),
    );
    body.destroy();
    if (isWhole === true) settleWhole();
    else settle(attempt, 'failed', undefined);
  }
}
