import { Problem } from '@gantry/contract/problems.ts';
import { printServerSentEvent } from '@gantry/contract/server-sent-events.ts';
import { guardrailsHeader } from '../guardrails/print-done.ts';
import type { Reply } from '../http/reply.ts';
import { admit } from './admit.ts';
import { beginWait } from './await-instance.ts';
import { brokenConnection, max_answer_bytes, readAnswer } from './answer.ts';
import type { Incoming } from './call.ts';
import { guardedEvents, guardedInput, guardedOutput, guardCall } from './guarded-invocation.ts';
import type { Ingress } from './ingress.ts';
import { orRecorded, recordCall, recordStream } from './record-call.ts';
import { rowOfCall } from './row-of-call.ts';
import { startRun } from './start-run.ts';
import { callPlaced } from './place-call.ts';

/** The agent's output as server-sent events. When the client disconnects, the run is cancelled. */
export async function stream(ingress: Ingress, incoming: Incoming): Promise<Reply> {
  const { body: sent, signal } = incoming;
  const wait = beginWait(ingress, {
    admitted: await admit(ingress.agents, incoming.caller, incoming.name),
    body: sent,
  });
  const admitted = await wait({ limit_ms: ingress.sync_budget_ms, signal });
  const { agent, revision, user } = admitted;
  const run = startRun(ingress, admitted, incoming.trace);
  const guarded = guardCall(ingress, admitted, run, incoming.caller.origin);
  const refused = { name: 'stream', admitted, run, guarded } as const;
  const checked = await orRecorded(ingress, refused, guardedInput(guarded, sent, signal));
  const recorded = { ...refused, input: checked };
  const placed = ingress.open_calls.place(revision.instances);
  const storeRow = async () =>
    revision.has_subagents
      ? await ingress.followed.put(rowOfCall({ admitted, run }, placed.instance.instance_id))
      : undefined;
  const end = () => {
    placed.end();
    if (revision.has_subagents) ingress.background(ingress.followed.remove(run.id));
  };
  const upstream = {
    agent,
    caller: user,
    method: 'POST',
    path: '/stream',
    run,
    headers: incoming.headers,
    body: checked,
    signal,
  } as const;
  // The token of a run is believed while its row is open.
  const calling = storeRow()
    .then(async () => await callPlaced(ingress.connections, placed, upstream, storeRow))
    .catch((error: unknown) => {
      end();
      throw error;
    });
  const answered = await orRecorded(ingress, recorded, calling);
  const { status, content_type, retry_after } = answered;
  const headers = {
    'content-type': content_type,
    'cache-control': 'no-store',
    'x-run-id': run.id,
    ...(retry_after === undefined ? {} : { 'retry-after': retry_after }),
  };
  if (!content_type.startsWith('text/event-stream')) {
    const reading = readAnswer(agent.ref, answered)
      .finally(end)
      .then(async (answer) => await guardedOutput(guarded, answer, signal));
    const answer = await orRecorded(ingress, recorded, reading);
    recordCall(ingress, recorded, { answer: { ...answer, retry_after } });
    return { status, headers: { ...headers, ...(guarded && guardrailsHeader(guarded.done)) }, body: answer.body };
  }
  // Without an encoding the body gives buffers.
  const body = answered.body as AsyncIterable<Buffer>;
  const events = ending(end, wholeEvents(body, { ref: agent.ref, run_id: run.id, stopping: ingress.stopping }));
  const passed = guarded === undefined ? events : guardedEvents(guarded, events, { run_id: run.id, signal });
  return { status, headers, body: recordStream(ingress, recorded, passed) };
}

async function* ending<T>(end: () => void, events: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* events;
  } finally {
    end();
  }
}

const newline = 0x0a;
const end_of_event = '\n\n';

/** Cuts chunks at the end of an event. So a broken connection leaves no half event before the RUN_ERROR. */
export async function* wholeEvents(
  body: AsyncIterable<Buffer>,
  { ref, run_id, stopping }: { ref: string; run_id: string; stopping: AbortSignal },
): AsyncGenerator<Uint8Array | string> {
  let held: Buffer[] = [];
  let [held_bytes, last] = [0, 0];
  try {
    for await (const chunk of body) {
      const end = chunk.lastIndexOf(end_of_event);
      const isSplit = end < 0 && last === newline && chunk[0] === newline;
      const whole_bytes = isSplit ? 1 : end < 0 ? 0 : end + end_of_event.length;
      if (whole_bytes > 0) {
        yield Buffer.concat([...held, chunk.subarray(0, whole_bytes)]);
        [held, held_bytes] = [[], 0];
      }
      held.push(chunk.subarray(whole_bytes));
      held_bytes += chunk.length - whole_bytes;
      if (held_bytes > max_answer_bytes) throw new Error('an event exceeds the size limit of an answer');
      last = chunk.at(-1) ?? last;
    }
  } catch (cause) {
    const { code, detail } = stopping.aborted
      ? new Problem('starting', { detail: 'The service is stopping.' })
      : brokenConnection(ref, cause);
    yield printServerSentEvent({ data: JSON.stringify({ type: 'RUN_ERROR', code, message: detail, runId: run_id }) });
    return;
  }
  yield Buffer.concat(held);
}
