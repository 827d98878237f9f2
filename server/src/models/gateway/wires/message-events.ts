// Where the events of a stream of Anthropic's messages carry text.
import type { Delta, EventForm } from '../../guardrails/guarded-events.ts';
import { anthropicDocument } from './document-forms.ts';
import { isJson, typeOf } from './wire.ts';

const whole = new Set([
  'message_start',
  'content_block_start',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
]);
/** The member with the piece of text, by the type of the delta. */
const pieces: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
};

export const messageEvents: EventForm = {
  document: anthropicDocument,
  read: (event) => {
    const type = typeOf(event);
    const name = `block ${String(event['index'])} `;
    if (whole.has(type)) {
      const ends = type === 'content_block_stop' ? [name] : type === 'message_delta' ? [''] : [];
      return { event, deltas: [], ends, isOnlyDeltas: false };
    }
    const { delta } = event;
    if (type !== 'content_block_delta' || !isJson(delta)) return undefined;
    // A citation and a signature come whole.
    if (['citations_delta', 'signature_delta'].includes(typeOf(delta)))
      return { event, deltas: [], ends: [name], isOnlyDeltas: false };
    const member = pieces[typeOf(delta)];
    const text = member === undefined ? undefined : delta[member];
    if (member === undefined || typeof text !== 'string') return undefined;
    const one: Delta = {
      name,
      path: ['delta', member],
      text,
      isJson: member === 'partial_json',
      print: (piece) => ({ ...event, delta: { ...delta, [member]: piece } }),
    };
    return { event, deltas: [one], ends: [], isOnlyDeltas: true };
  },
};
