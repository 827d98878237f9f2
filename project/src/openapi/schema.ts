// A schema of an OpenAPI document as one JSON Schema that stands alone: each `$ref` leads into its own `$defs`, so schemas that contain themselves stay
// small. Only known keywords pass, in their form.
import { follow, listOf, objectOf, OpenApiFault, textOf, type Json, type OpenApiDocument } from './document.ts';

type Schema = Record<string, unknown>;

const most_parts = 3000;
const most_depth = 24;
const longest_description = 1000;

const typeNames = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const numbers = [
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'exclusiveMinimum',
  'exclusiveMaximum',
];
const inList = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];

/** Converts the schemas of one JSON Schema. `defs` has what they refer to. */
export interface SchemaReader {
  read(value: unknown): Schema;
  defs(): Record<string, Schema>;
}

export function schemaReader(document: OpenApiDocument): SchemaReader {
  const names = new Map<string, string>();
  const defs: Record<string, Schema> = {};
  let parts = 0;

  const read = (value: unknown, depth = 0): Schema => {
    if (++parts > most_parts) throw new OpenApiFault(`Its schemas have more than ${most_parts} parts.`);
    if (depth > most_depth) throw new OpenApiFault(`Its schemas are nested deeper than ${most_depth} levels.`);
    if (value === true) return {};
    if (value === false) return { not: {} };
    const given = objectOf(value);
    if (given === undefined) throw new OpenApiFault('A schema of it is no object.');
    const ref = textOf(given['$ref']);
    return ref === undefined ? plain(given, depth) : { $ref: `#/$defs/${nameOf(ref)}` };
  };

  const nameOf = (ref: string): string => {
    const known = names.get(ref);
    if (known !== undefined) return known;
    const wished = (ref.split('/').at(-1) ?? '').replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60) || 'Schema';
    const name = Object.hasOwn(defs, wished) ? `${wished}_${names.size}` : wished;
    names.set(ref, name);
    defs[name] = {}; // taken, also while it is read: a schema can contain itself
    defs[name] = read(follow(document, { $ref: ref }));
    return name;
  };

  const plain = (given: Json, depth: number): Schema => {
    const below = (value: unknown) => read(value, depth + 1);
    const made: Schema = { ...typeOf(given, document.isOld), ...bounds(given, document.isOld) };
    for (const key of ['format', 'pattern'] as const) if (typeof given[key] === 'string') made[key] = given[key];
    if (typeof given['description'] === 'string')
      made['description'] = given['description'].slice(0, longest_description);
    if (given['uniqueItems'] === true) made['uniqueItems'] = true;
    for (const key of ['default', 'const'] as const) if (isPlain(given[key])) made[key] = given[key];
    const properties = objectOf(given['properties']);
    if (properties !== undefined)
      made['properties'] = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, below(one)]));
    const required = listOf(given['required']).filter((name) => typeof name === 'string');
    if (required.length > 0) made['required'] = required;
    if (given['items'] !== undefined) made['items'] = below(given['items']);
    if (given['not'] !== undefined) made['not'] = below(given['not']);
    const more = given['additionalProperties'];
    if (more !== undefined) made['additionalProperties'] = typeof more === 'boolean' ? more : below(more);
    for (const key of inList) {
      const list = listOf(given[key]);
      if (list.length > 0) made[key] = list.map(below);
    }
    return made;
  };

  return { read: (value) => read(value), defs: () => defs };
}

/** An example of an object can be as deep as its author likes. */
const isPlain = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** `nullable` of 3.0 is a type of its own in JSON Schema. */
function typeOf(given: Json, isOld: boolean): Schema {
  const types = (typeof given['type'] === 'string' ? [given['type']] : listOf(given['type'])).filter(
    (name) => typeof name === 'string' && typeNames.includes(name),
  );
  const isNullable = isOld && given['nullable'] === true;
  const all = isNullable && types.length > 0 ? [...types, 'null'] : types;
  const values = listOf(given['enum']).filter(isPlain);
  return {
    ...(all.length > 0 && { type: all.length === 1 ? all[0] : all }),
    ...(values.length > 0 && { enum: isNullable && !values.includes(null) ? [...values, null] : values }),
  };
}

/** In 3.0 `exclusiveMinimum: true` is about `minimum`. */
function bounds(given: Json, isOld: boolean): Schema {
  const made: Schema = {};
  for (const key of numbers) if (typeof given[key] === 'number') made[key] = given[key];
  if (!isOld) return made;
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (given[flag] !== true || made[limit] === undefined) continue;
    made[flag] = made[limit];
    delete made[limit];
  }
  return made;
}
