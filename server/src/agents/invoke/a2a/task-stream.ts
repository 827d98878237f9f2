import { Problem } from '@gantry/contract/problems.ts';
import { printServerSentEvent } from '@gantry/contract/formats/server-sent-events.ts';
import { eventStream, printEvent } from '../../../governance/http/answer/event-stream.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { A2aError } from './a2a-error.ts';
import type { TaskEvent } from './follow-task.ts';

interface Printer {
  event: (event: TaskEvent) => object;
  error: (error: A2aError) => object;
}

/** A reader who may no longer ask gets one last event, and no other. */
export function taskStream(events: AsyncIterable<TaskEvent>, print: Printer): Reply {
  return eventStream(printed(events, print));
}

async function* printed(events: AsyncIterable<TaskEvent>, print: Printer): AsyncGenerator<string> {
  try {
    for await (const event of events) yield printEvent({ ...print.event(event) });
  } catch (error) {
    if (!(error instanceof Problem || error instanceof A2aError)) throw error;
    const data = JSON.stringify(print.error(new A2aError('TASK_NOT_FOUND')));
    yield printServerSentEvent({ event: 'error', data });
  }
}
