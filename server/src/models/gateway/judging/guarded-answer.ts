// The answer of a model under the guardrails of its caller.
import { checkTexts } from '../../guardrails/json-texts.ts';
import { GuardedEvents, type Event } from '../../guardrails/guarded-events.ts';
import type { GuardedCall } from '../../guardrails/guarded-call.ts';
import { guardrailsComment } from '../../guardrails/print-done.ts';
import { dataOf, eventsIn } from '../../../governance/http/answer/event-stream.ts';
import type { Json, Wire } from '../wires/wire.ts';

/** Throws `Blocked`. */
export async function guardedAnswer(guarded: GuardedCall, wire: Wire, said: Json): Promise<Json> {
  return await checkTexts(said, wire.document, async (texts) => await guarded.check('model_out', texts));
}

export interface GuardedStream {
  /** What may go on when these whole events have come. Throws `Blocked`. */
  take(bytes: Buffer): Promise<string>;
  /** What is left when the stream has ended. Throws `Blocked`. */
  end(): Promise<string>;
}

/** Its checks end with the signal. */
export function guardedStream(guarded: GuardedCall, wire: Wire, signal: AbortSignal): GuardedStream {
  const events = new GuardedEvents(guarded, wire.events, { place: 'model_out', signal });
  let isNamed = false;
  const print = (event: Event) =>
    `${isNamed ? `event: ${String(event['type'])}\n` : ''}data: ${JSON.stringify(event)}\n\n`;
  let isEnded = false;
  const end = async () => {
    if (isEnded) return '';
    isEnded = true;
    // Gemini's clients take a comment for data, and lines have none.
    const comment = wire.kind === 'gemini' || wire.kind === 'ollama' ? '' : guardrailsComment(guarded.done);
    return (await events.end()).map(print).join('') + comment;
  };
  return {
    take: async (bytes) => {
      let passed = '';
      for (const one of eventsIn(bytes)) {
        const text = one.toString();
        isNamed ||= text.startsWith('event:');
        const data = dataOf(one);
        if (data !== undefined) passed += (await events.take(data)).map(print).join('');
        else if (/^data: ?\[DONE\]/.test(text)) passed += (await end()) + text;
      }
      return passed;
    },
    end,
  };
}
