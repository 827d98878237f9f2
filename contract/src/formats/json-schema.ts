import type { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The valid fields at a path of a schema, such as `['deploy', 'scaling']`. A list index means any entry. */
export function fieldsAt(path: readonly PropertyKey[], schema: JsonSchema): ReadonlySet<string> {
  return new Set(schemasAt(path, schema).flatMap(({ properties }) => Object.keys(properties ?? {})));
}

/** The schema's description of a field, for a person who left it out. */
export function describeField(path: readonly PropertyKey[], schema: JsonSchema): string | undefined {
  return schemasAt(path, schema)[0]?.description;
}

/** Every field of a map of the file, such as `deploy.scaling.min`; lists are not expanded. */
export function fieldPaths(schema: JsonSchema, path: readonly string[] = []): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, below]) => [
    [...path, key],
    ...(isSchema(below) ? fieldPaths(below, [...path, key]) : []),
  ]);
}

function schemasAt(path: readonly PropertyKey[], schema: JsonSchema): JsonSchema[] {
  let level = alternatives(schema);
  for (const step of path) {
    level = level.flatMap((each) =>
      alternatives(
        typeof step === 'number' ? each.items : (each.properties?.[String(step)] ?? each.additionalProperties),
      ),
    );
  }
  return level;
}

function alternatives(schema: unknown): JsonSchema[] {
  if (!isSchema(schema)) return [];
  return [schema, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(alternatives)];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
