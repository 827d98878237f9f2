// The events of an agent's stream as its container sends them, and the last one of a stream that broke.
import type { Problem } from '@gantry/contract/problems.ts';
import { printEvent, wholeEvents } from '../../../governance/http/answer/event-stream.ts';
import { max_answer_bytes } from '../answer.ts';

interface BrokenRun {
  /** The reason for the client. A run in the queue of its container has a head, and no event before it begins. */
  why: (cause: unknown, is_begun: boolean) => Promise<Problem>;
}

/** Whole events. So a broken connection leaves no half event before the RUN_ERROR, which says why. */
export async function* eventsOfAgent(
  body: AsyncIterable<Buffer>,
  { why }: BrokenRun,
): AsyncGenerator<Uint8Array | string> {
  let isBegun = false;
  try {
    for await (const whole of wholeEvents(body, max_answer_bytes)) {
      isBegun ||= whole.includes('data:');
      yield whole;
    }
  } catch (cause) {
    yield runError(await why(cause, isBegun));
  }
}

type RunFailure = Pick<Problem, 'detail'> & { code: string; fields?: Problem['fields'] };

/** The last event of a run without a result. The protocol has no other place than metadata for what a repeat needs to know. */
export function runError({ code, detail: message, fields = {} }: RunFailure): string {
  const { run_status, reason } = fields;
  const isKnown = run_status !== undefined || reason !== undefined;
  return printEvent({ type: 'RUN_ERROR', code, message, ...(isKnown && { metadata: { run_status, reason } }) });
}
