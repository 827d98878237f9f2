// How a streamed run ended, as an answer for its row. A stream that its reader leaves has ended as a cancelled run.
import { Problem } from '@gantry/contract/problems.ts';
import { dataOf, eventsIn } from '../../../governance/http/answer/event-stream.ts';
import { answerOf, type Answer } from '../answer.ts';

export interface EndOfStream {
  see: (chunk: Uint8Array | string) => void;
  answer: () => Answer;
}

const run_event = '"type":"RUN_';

export function endOfStream(run_id: string): EndOfStream {
  const cancelled = answerOf(new Problem('cancelled', { fields: { run_id, run_status: 'cancelled' } }));
  let end = cancelled;
  return {
    see: (chunk) => {
      const bytes = Buffer.from(chunk);
      // Most chunks have no such event, and a state takes long to parse.
      if (!bytes.includes(run_event)) return;
      for (const event of eventsIn(bytes)) {
        if (!event.includes(run_event)) continue;
        const { type, outcome, message } = dataOf(event) ?? {};
        if (type === 'RUN_FINISHED') end = finished(run_id, outcome) ?? cancelled;
        if (type === 'RUN_ERROR') end = answerOf(new Problem('agent_error', { detail: String(message) }));
      }
    },
    answer: () => end,
  };
}

/** Without the result: a thread has it. */
function finished(run_id: string, outcome: unknown): Answer | undefined {
  const { type } = (outcome ?? {}) as { type?: unknown };
  if (type === 'cancelled') return undefined;
  const status = type === 'interrupt' ? 'interrupted' : 'completed';
  return { status: 200, content_type: 'application/json', body: Buffer.from(JSON.stringify({ run_id, status })) };
}
