import type { maxLengthOptions } from '@gantry/contract/guardrails/max-length.ts';
import type { Place } from '@gantry/contract/guardrails/places.ts';
import type { z } from 'zod';
import type { TextRule } from '../rule.ts';

/** A stream ends at the limit; the characters before it are released. */
export function maxLength({ input_characters, output_characters }: z.output<typeof maxLengthOptions>): TextRule {
  const limits: Partial<Record<Place, number>> = {
    ...(input_characters === undefined ? {} : { ingress_in: input_characters }),
    ...(output_characters === undefined ? {} : { ingress_out: output_characters }),
  };
  return {
    kind: 'text',
    name: 'max_length',
    places: (['ingress_in', 'ingress_out'] as const).filter((place) => limits[place] !== undefined),
    reads: 'all',
    streams: 'passages',
    openFrom: (text) => text.length,
    check: ({ place, offset, text }) => {
      const limit = limits[place] ?? Infinity;
      return offset + text.length <= limit
        ? { kind: 'pass' }
        : { kind: 'block', reason: `The text has more than ${limit} characters.` };
    },
  };
}
