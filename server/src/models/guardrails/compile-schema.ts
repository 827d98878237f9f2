// A JSON Schema from outside as a check. Its patterns run in RE2, so that no pattern can hang.
import { Ajv, type AnySchemaObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { matchesPattern } from './rules/pattern.ts';

/** Throws on a schema that is none. */
export function compileSchema(schema: AnySchemaObject): ValidateFunction {
  const isDraft7 = typeof schema['$schema'] === 'string' && schema['$schema'].includes('draft-07');
  return (isDraft7 ? new Ajv(options) : new Ajv2020(options)).compile(schema);
}

/** The place of the first broken keyword. The value stays out. */
export function brokenPlace({ errors }: Pick<ValidateFunction, 'errors'>): string {
  return errors?.[0]?.schemaPath.slice(0, 200) ?? '#';
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
