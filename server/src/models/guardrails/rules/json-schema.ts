// The answer must be JSON that fits a schema.
import type { jsonSchemaOptions } from '@gantry/contract/guardrails/json-schema.ts';
import type { z } from 'zod';
import { brokenPlace, compileSchema } from '../compile-schema.ts';
import type { TextRule } from '../rule.ts';
import { placesOf } from '../places-of.ts';

/** Throws on a schema that is none. */
export function jsonSchema({ schema }: z.output<typeof jsonSchemaOptions>): TextRule {
  const validate = compileSchema(schema);
  return {
    kind: 'text',
    name: 'json_schema',
    places: placesOf('json_schema'),
    reads: 'answer',
    streams: 'whole',
    openFrom: () => 0,
    check: ({ text }) => {
      const value = parse(text);
      if (value === undefined) return { kind: 'block', reason: 'The answer is no JSON.' };
      if (validate(value.json)) return { kind: 'pass' };
      return { kind: 'block', reason: `The answer does not fit the schema at \`${brokenPlace(validate)}\`.` };
    },
  };
}

function parse(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
