// A run as AG-UI events: each call of a member is a step, with the events of the member in it. When the client disconnects, the run is cancelled.
import { randomUUIDv7 } from 'node:crypto';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import type { Event } from '../../../models/guardrails/guarded-events.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { eventStream, printEvent } from '../../../governance/http/answer/event-stream.ts';
import { toldUntil } from '../../invoke/streams/told-events.ts';
import { runEvents } from '../../../ground/runs/events.ts';
import { requestCancel } from '../../../ground/runs/run.ts';
import { within } from '../../../ground/within.ts';
import { begin, type IncomingRun } from '../begin.ts';
import { chosenAt } from './choice.ts';
import type { Orchestrations } from '../parts.ts';
import type { RunReader } from './run-readers.ts';
import * as store from '../store.ts';
import { agui_version } from '../../invoke/streams/agui-events.ts';

export async function stream(parts: Orchestrations, incoming: IncomingRun, signal: AbortSignal): Promise<Reply> {
  const id = randomUUIDv7();
  const reader = parts.readers.open(id);
  signal.addEventListener('abort', () => reader.close(), { once: true });
  await begin(parts, { ...incoming, id }).catch((error: unknown) => {
    reader.close();
    throw error;
  });
  const events = eventsOf(parts, { run_id: id, thread_id: incoming.body.thread_id ?? id, reader }, signal);
  return eventStream(events, { 'x-run-id': id });
}

/** For the last events of a member whose answer is already known. */
const last_events_ms = 2000;

async function* eventsOf(
  { ingress: { db, stopping } }: Orchestrations,
  { run_id, thread_id, reader }: { run_id: string; thread_id: string; reader: RunReader },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const run = { threadId: thread_id, runId: run_id };
  let hasEnded = false;
  const leaving = new AbortController();
  const stored = runEvents(db, run_id, 0, AbortSignal.any([signal, leaving.signal]));
  try {
    yield printEvent({ type: 'RUN_STARTED', ...run, protocolVersion: agui_version });
    for (;;) {
      const next = yield* toldUntil(reader.told, stored.next());
      if (next.done === true) break;
      const { data } = next.value;
      const { kind, step, state } = data;
      if (step !== null && chosenAt(step) !== undefined) continue;
      // Nobody reads a stream for as long as a person takes.
      const isWaiting = kind === 'wait' && state === 'waiting';
      if (kind === 'end' || isWaiting) hasEnded = true;
      if (kind === 'step' && step !== null && (state === 'done' || state === 'failed')) {
        yield* toldUntil(reader.told, within(last_events_ms, reader.ended(step), signal));
        reader.finish(step);
        yield* reader.told.take();
      }
      const output = kind === 'step' && state === 'done' ? await store.outputOf(db, run_id, step) : null;
      for (const event of aguiOf(data, output))
        yield printEvent(event['type'] === 'RUN_FINISHED' ? { ...event, ...run } : event);
      if (isWaiting) break;
      if (kind === 'step' && step !== null && state === 'running') reader.start(step);
    }
    if (!hasEnded)
      yield printEvent({
        type: 'RUN_ERROR',
        code: 'starting',
        message: 'The service is stopping. The run goes on.',
      });
  } finally {
    reader.close();
    leaving.abort();
    await stored.return(undefined);
    if (!hasEnded && !stopping.aborted) await db.transaction(async (tx) => await requestCancel(tx, run_id));
  }
}

function aguiOf({ kind, step, state, message, data }: RunEvent, output: unknown): Event[] {
  if (kind === 'notice') return [{ type: 'CUSTOM', name: 'notice', value: message }];
  if (kind === 'step' && step !== null) {
    const named = { stepName: step };
    if (state === 'running') return [{ type: 'STEP_STARTED', ...named }];
    if (state === 'waiting') return [custom('member_waits', { step }), { type: 'STEP_FINISHED', ...named }];
    if (state === 'failed')
      return [custom('member_failed', { step, problem: data['problem'] }), { type: 'STEP_FINISHED', ...named }];
    if (state === 'done')
      return [custom('member', { step, ...(output as object) }), { type: 'STEP_FINISHED', ...named }];
  }
  if (kind === 'wait' && state === 'waiting') return [{ type: 'RUN_FINISHED', result: { status: 'waiting' } }];
  if (kind !== 'end') return [];
  if (state === 'done') return [{ type: 'RUN_FINISHED', result: data['result'] }];
  const { code, detail } = (data['problem'] ?? {}) as { code?: string; detail?: string };
  return [{ type: 'RUN_ERROR', code: code ?? 'internal', message: detail ?? 'The run failed.' }];
}

const custom = (name: string, value: object): Event => ({ type: 'CUSTOM', name, value });
