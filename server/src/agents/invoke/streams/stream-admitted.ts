import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import { guardrailsHeader } from '../../../models/guardrails/print-done.ts';
import { eventStream } from '../../../governance/http/answer/event-stream.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { within } from '../../../ground/within.ts';
import type { Admitted } from '../admit.ts';
import { endOfStream, type EndOfStream } from './end-of-stream.ts';
import { eventsOfAgent, runError } from './agent-events.ts';
import { beginWait, longest_wait_ms } from '../await-instance.ts';
import { fileCheck } from '../files/check-files.ts';
import { readAnswer } from '../answer.ts';
import type { Incoming } from '../call.ts';
import { guardedEvents, guardedInput, guardedOutput, guardCall } from './guarded-invocation.ts';
import type { Ingress } from '../ingress.ts';
import { notBegun } from '../calls/lost-call.ts';
import { lostStream } from './lost-stream.ts';
import { problemIn } from '../calls/outcome.ts';
import { orRecorded, recordCall, recordStream } from '../calls/record-call.ts';
import { rowOfCall } from '../calls/row-of-call.ts';
import { startRun } from '../calls/start-run.ts';
import { callPlaced, isNotConnected } from '../calls/place-call.ts';
import { awaitTurn, turnOf, type Demand } from '../turns.ts';

const pause_ms = 500;

/**
 * The agent's output as server-sent events. When the client disconnects, the run is cancelled. A stream that has not begun within the sync
 * budget goes on as one that waits: with comments, and then the events or a RUN_ERROR.
 */
export async function streamAdmitted(
  ingress: Ingress,
  admitted: Admitted,
  incoming: StreamedCall,
): Promise<StreamReply> {
  const { run_id = randomUUIDv7() } = incoming;
  const opening = openWhenTaken(ingress, incoming, { admitted, run_id });
  const early = await within(ingress.sync_budget_ms, opening);
  if (early !== undefined) return early;
  opening.catch(() => {}); // the reader may leave before it is read
  const body = waiting(opening);
  return { ...eventStream(body, { 'x-run-id': run_id }), body };
}

/** `graph`: how langgraph runs it, as JSON. */
export interface StreamedCall
  extends Pick<Incoming, 'headers' | 'body' | 'signal' | 'trace'>, Pick<Demand, 'is_alone'> {
  caller: Pick<Incoming['caller'], 'origin'>;
  run_id?: string;
  graph?: string;
  /** The row of the call stays, and says how it ended. Without it nobody asks for the call again. */
  keeps_end?: boolean;
}

async function* waiting(opening: Promise<StreamReply>): AsyncGenerator<Uint8Array | string> {
  try {
    yield ': waiting\n\n';
    const reply = await opening;
    if (!Buffer.isBuffer(reply.body)) {
      yield* reply.body;
      return;
    }
    const said = problemIn(reply.body);
    yield runError(said ?? { code: 'agent_error', detail: 'The agent did not answer with a stream.' });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    yield runError(error);
  }
}

export type StreamReply = Reply & { body: Buffer | AsyncIterable<Uint8Array | string> };

interface NewStream {
  admitted: Admitted;
  run_id: string;
}

/** At an instance that takes it. Throws the refusal, also after ten minutes. */
async function openWhenTaken(
  ingress: Ingress,
  incoming: StreamedCall,
  { admitted: first, run_id }: NewStream,
): Promise<StreamReply> {
  const { body, signal } = incoming;
  const until = performance.now() + longest_wait_ms;
  const checkFiles = fileCheck(ingress, body);
  // Before a sleeping agent is woken for it.
  await checkFiles(first, signal);
  for (let now = first; ; now = await now.again()) {
    const wait = beginWait(ingress, { admitted: now, body });
    const admitted = await wait({ limit_ms: Math.max(0, until - performance.now()), signal });
    await checkFiles(admitted, signal);
    try {
      const reply = await open(ingress, incoming, { admitted, run_id });
      if (reply !== undefined) return reply;
    } catch (error) {
      if (!isNotConnected(error)) throw error;
      if (performance.now() >= until) throw notBegun(run_id, error);
    }
    await sleep(pause_ms, undefined, { signal: AbortSignal.any([signal, ingress.stopping]) }).catch(() => {}); // the next lines say why
    signal.throwIfAborted();
    if (ingress.stopping.aborted) throw new Problem('starting', { detail: 'The service is stopping.' });
  }
}

/** Undefined when no instance has begun it. */
async function open(
  ingress: Ingress,
  incoming: StreamedCall,
  { admitted, run_id }: NewStream,
): Promise<StreamReply | undefined> {
  const { body: sent, signal, is_alone } = incoming;
  const { agent, revision, user } = admitted;
  const turn = turnOf(run_id, sent, { is_alone })(admitted);
  const hasRow = revision.needs_row || turn !== undefined;
  const run = startRun(ingress, admitted, incoming.trace, run_id);
  const guarded = guardCall(ingress, admitted, run, incoming.caller.origin);
  const refused = { name: 'stream', admitted, run, guarded } as const;
  const checked = await orRecorded(ingress, refused, guardedInput(guarded, sent, signal));
  const recorded = { ...refused, input: checked };
  const placed = ingress.open_calls.place(revision.instances);
  const began_at = performance.now();
  // The token of a run is believed while its row is open.
  const storeRow = async () => {
    if (hasRow) await ingress.followed.put(rowOfCall({ admitted, run, turn }, placed.instance.instance_id));
    if (turn !== undefined) await awaitTurn(ingress, run.id, signal);
    return undefined;
  };
  const forget = async () => {
    placed.end();
    if (hasRow) await ingress.followed.remove(run.id);
  };
  const ended = endOfStream(run.id);
  const keepEnd = async () => {
    placed.end();
    if (hasRow) await ingress.followed.end(run.id, ended.answer());
  };
  const end = () => ingress.background(incoming.keeps_end === true ? keepEnd() : forget());
  const upstream = {
    agent,
    caller: user,
    method: 'POST',
    path: '/stream',
    run,
    thread: turn?.name,
    graph: incoming.graph,
    headers: incoming.headers,
    body: checked,
    signal,
  } as const;
  const why = async (cause: unknown, is_begun: boolean) => {
    const { instance_id } = placed.instance;
    return await lostStream(ingress, { ref: agent.ref, run_id: run.id, instance_id, began_at, is_begun }, cause);
  };
  const calling = callPlaced(ingress.connections, placed, upstream, storeRow).catch(async (error: unknown) => {
    await forget();
    const isBroken = error instanceof Problem && error.code === 'agent_unavailable' && !isNotConnected(error);
    throw isBroken && !signal.aborted ? await why(error, false) : error;
  });
  const answered = await orRecorded(ingress, recorded, calling);
  const { status, content_type, retry_after, not_begun } = answered;
  if (not_begun !== undefined && not_begun !== 'full') {
    await answered.body.dump();
    await forget();
    return undefined;
  }
  const headers = {
    'content-type': content_type,
    'cache-control': 'no-store',
    'x-run-id': run.id,
    ...(retry_after === undefined ? {} : { 'retry-after': retry_after }),
  };
  if (!content_type.startsWith('text/event-stream')) {
    const reading = readAnswer(agent.ref, answered)
      .finally(() => ingress.background(forget()))
      .then(async (answer) => await guardedOutput(guarded, answer, signal));
    const answer = await orRecorded(ingress, recorded, reading);
    recordCall(ingress, recorded, { answer: { ...answer, retry_after } });
    return { status, headers: { ...headers, ...(guarded && guardrailsHeader(guarded.done)) }, body: answer.body };
  }
  // Without an encoding the body gives buffers.
  const body = answered.body as AsyncIterable<Buffer>;
  const events = ending({ see: (event) => ended.see(event), end }, eventsOfAgent(body, { why }));
  const passed = guarded === undefined ? events : guardedEvents(guarded, events, signal);
  return { status, headers, body: recordStream(ingress, recorded, passed) };
}

async function* ending(
  { see, end }: { see: EndOfStream['see']; end: () => void },
  events: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array | string> {
  try {
    for await (const event of events) {
      see(event);
      yield event;
    }
  } finally {
    end();
  }
}
