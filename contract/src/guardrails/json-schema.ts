import { z } from 'zod';

const most_schema_characters = 50_000;

export const jsonSchemaOptions = z.strictObject({
  schema: z
    .looseObject({})
    .refine(
      (schema) => JSON.stringify(schema).length <= most_schema_characters,
      'must be at most 50,000 characters as JSON',
    )
    .describe('A JSON Schema (draft 2020-12, or draft 7 by `$schema`), which the answer must fit'),
});
