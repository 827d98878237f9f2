// Where the events of a stream of OpenAI's responses carry text.
import type { Event, EventForm } from '../../guardrails/guarded-events.ts';
import { openaiDocument } from './document-forms.ts';
import { typeOf } from './wire.ts';

const texts = new Set(['output_text', 'refusal', 'reasoning_text', 'reasoning_summary_text', 'custom_tool_call_input']);
const json = new Set(['function_call_arguments', 'mcp_call_arguments']);
const whole =
  /^(?:error|keepalive|response\.(?:created|queued|in_progress|completed|incomplete|failed|(?:output_item|content_part|reasoning_summary_part)\.(?:added|done)|output_text\.annotation\.added))$/;

export const responseEvents: EventForm = {
  document: openaiDocument,
  read: (event) => {
    const type = typeOf(event);
    if (whole.test(type)) return { event, deltas: [], ends: ends(type) ? [''] : [], isOnlyDeltas: false };
    const [, kind = '', step] = /^response\.(\w+)\.(delta|done)$/.exec(type) ?? [];
    if (!texts.has(kind) && !json.has(kind)) return undefined;
    const { item_id, content_index = '', summary_index = '', delta } = event;
    const name = [kind, item_id, content_index, summary_index, ''].map(String).join(' ');
    const { logprobs: _, obfuscation: __, ...known } = event;
    if (step === 'done') return { event: known, deltas: [], ends: [name], isOnlyDeltas: false };
    if (typeof delta !== 'string') return undefined;
    return {
      event: known,
      deltas: [
        {
          name,
          path: ['delta'],
          text: delta,
          isJson: json.has(kind),
          print: (piece): Event => ({ ...known, delta: piece }),
        },
      ],
      ends: [],
      isOnlyDeltas: true,
    };
  },
  renumber: (event, index) => ('sequence_number' in event ? { ...event, sequence_number: index } : event),
};

/** The last event repeats all texts. */
function ends(type: string): boolean {
  return /^response\.(?:completed|incomplete|failed)$/.test(type);
}
