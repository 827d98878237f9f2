// The answer must be JSON that fits a schema. Its patterns run in RE2, so that no pattern can hang.
import type { jsonSchemaOptions } from '@gantry/contract/guardrails/json-schema.ts';
import { Ajv, type AnySchemaObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { z } from 'zod';
import type { TextRule } from '../rule.ts';
import { placesOf } from '../places-of.ts';
import { matchesPattern } from './pattern.ts';

/** Throws on a schema that is none. */
export function jsonSchema({ schema }: z.output<typeof jsonSchemaOptions>): TextRule {
  const validate = compile(schema);
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
      return validate(value.json) ? { kind: 'pass' } : { kind: 'block', reason: reasonOf(validate) };
    },
  };
}

function compile(schema: AnySchemaObject): ValidateFunction {
  const isDraft7 = typeof schema['$schema'] === 'string' && schema['$schema'].includes('draft-07');
  return (isDraft7 ? new Ajv(options) : new Ajv2020(options)).compile(schema);
}

const options: Options = {
  strict: false,
  validateFormats: false,
  allErrors: false,
  logger: false,
  // Ajv keeps one matcher per text of `toString`.
  code: {
    regExp: Object.assign((pattern: string) => ({ test: matchesPattern(pattern), toString: () => pattern }), {
      code: 'undefined',
    }),
  },
};

function parse(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The place and the broken keyword; the value is part of the answer and stays out. */
function reasonOf({ errors }: ValidateFunction): string {
  const [first] = errors ?? [];
  return `The answer does not fit the schema at \`${first?.schemaPath.slice(0, 200) ?? '#'}\`.`;
}
