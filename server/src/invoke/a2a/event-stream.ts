import { printServerSentEvent } from '@gantry/contract/server-sent-events.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reply } from '../../http/reply.ts';
import { within } from '../../within.ts';
import { A2aError } from './a2a-error.ts';
import type { TaskEvent } from './follow-task.ts';

// Without it proxies would close the connection of a silent task.
const keepalive_ms = 15_000;

interface Printer {
  event: (event: TaskEvent) => object;
  error: (error: A2aError) => object;
}

/** A reader who may no longer ask gets one last event, and no other. */
export function eventStream(events: AsyncIterable<TaskEvent>, print: Printer): Reply {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    body: printed(events, print),
  };
}

async function* printed(events: AsyncIterable<TaskEvent>, print: Printer): AsyncGenerator<string> {
  try {
    yield* printedEvents(events, print.event);
  } catch (error) {
    if (!(error instanceof Problem || error instanceof A2aError)) throw error;
    const data = JSON.stringify(print.error(new A2aError('TASK_NOT_FOUND')));
    yield printServerSentEvent({ event: 'error', data });
  }
}

async function* printedEvents(events: AsyncIterable<TaskEvent>, print: Printer['event']): AsyncGenerator<string> {
  const reading = events[Symbol.asyncIterator]();
  for (;;) {
    const next = reading.next();
    let read = await within(keepalive_ms, next);
    for (; read === undefined; read = await within(keepalive_ms, next)) yield ': keepalive\n\n';
    if (read.done === true) return;
    yield printServerSentEvent({ data: JSON.stringify(print(read.value)) });
  }
}
