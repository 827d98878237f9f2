import type { maxLengthOptions } from '@gantry/contract/guardrails/max-length.ts';
import type { Place } from '@gantry/contract/guardrails/places.ts';
import type { z } from 'zod';
import type { TextRule } from '../rule.ts';

/** Each text of the input, and the answer. A stream ends at the limit; the characters before it are released. */
export function maxLength({ input_characters, output_characters }: z.output<typeof maxLengthOptions>): TextRule[] {
  return [
    ...(input_characters === undefined ? [] : [limited('ingress_in', 'all', input_characters)]),
    ...(output_characters === undefined ? [] : [limited('ingress_out', 'answer', output_characters)]),
  ];
}

function limited(place: Place, reads: TextRule['reads'], limit: number): TextRule {
  return {
    kind: 'text',
    name: 'max_length',
    places: [place],
    reads,
    streams: 'passages',
    openFrom: (text) => text.length,
    check: ({ offset, text }) =>
      offset + text.length <= limit
        ? { kind: 'pass' }
        : { kind: 'block', reason: `The text has more than ${limit} characters.` },
  };
}
