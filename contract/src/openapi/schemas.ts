// The schemas of bodies and replies, each described once, as a named component. An exported schema has its export's name; one that is
// written in its endpoint is named after it: `RegistryCreateBody`.
import { z } from 'zod';
import { describedEndpoints } from './described.ts';
import { json } from '../wire.ts';
import { nouns } from './nouns.ts';

export type Json = Record<string, unknown>;
type Direction = 'input' | 'output';

const uri = (name: string) => `#/components/schemas/${name}`;

/** A reference to the component of a body or reply. */
export function referTo(schema: z.ZodType): Json {
  const name = names.get(schema);
  if (name === undefined)
    throw new Error('a schema that is no body, no reply and no export of a noun has no component');
  return { $ref: uri(name) };
}

/** An inline schema for parameters, without references. */
export function inPlace(schema: z.ZodType): Json {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  if ('$defs' in described) throw new Error(`a parameter refers to a schema: ${JSON.stringify(described)}`);
  return described;
}

/** Every schema of a body or a reply, by name. */
export function componentSchemas(): Record<string, Json> {
  const components = new Map<string, Json>();
  for (const direction of ['input', 'output'] as const)
    for (const [name, described] of describe(direction)) {
      const other = components.get(name);
      if (other !== undefined && JSON.stringify(other) !== JSON.stringify(described))
        throw new Error(`${name} differs between bodies and replies: it needs two names`);
      components.set(name, described);
    }
  return Object.fromEntries([...components].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The body and the reply of an endpoint. */
const parts = describedEndpoints.flatMap(([endpoint, { body, reply }]) => [
  ...(typeof body === 'object' ? [{ direction: 'input', schema: body, name: `${pascal(endpoint)}Body` } as const] : []),
  ...('schema' in reply
    ? [{ direction: 'output', schema: reply.schema, name: `${pascal(endpoint)}Reply` } as const]
    : []),
]);

const names = nameSchemas();

function nameSchemas(): Map<z.ZodType, string> {
  const named = new Map<z.ZodType, string>([[json, 'Json']]);
  for (const [exported, value] of nouns.flatMap(({ files }) => files.flatMap((file) => Object.entries(file))))
    if (value instanceof z.ZodType) named.set(value, pascal(exported));
  const exported = new Set(named.keys());
  for (const { schema, name } of parts) {
    if (exported.has(schema)) continue;
    const other = named.get(schema);
    if (other !== undefined) throw new Error(`${name} is ${other} as well: export the schema, which names it`);
    named.set(schema, name);
  }
  const twice = [...named.values()].find((name, index, all) => all.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two schemas are called ${twice}`);
  return named;
}

function describe(direction: Direction): Map<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: direction, uri, unrepresentable: 'any', override });
  const needed = new Map<string, Json>();
  const need = (name: string): void => {
    if (needed.has(name)) return;
    const found = schemas[name];
    if (found === undefined)
      throw new Error(`${name}: a schema that contains itself needs a name; export it from a noun's file`);
    const { $schema: _, $id: __, ...described } = found;
    needed.set(name, described);
    for (const [, referred = ''] of JSON.stringify(described).matchAll(
      /"\$ref":"(?:#\/components\/schemas\/)?([^"]+)"/g,
    ))
      need(referred);
  };
  for (const part of parts) if (part.direction === direction) need(names.get(part.schema) ?? part.name);
  return needed;
}

/** `{}` means any JSON. Written out, the schema is recursive, and client generators refuse it. */
function override({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: Json }): void {
  if (zodSchema !== json) return;
  for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword];
  jsonSchema['description'] = 'Any JSON';
}

/** `registry.show_version`, `assetVersion` → `RegistryShowVersion`, `AssetVersion`. */
export function pascal(name: string): string {
  return name.replaceAll(/(?:^|[._-])(\w)/g, (_, first: string) => first.toUpperCase());
}
