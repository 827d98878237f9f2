// An answer with only the properties that the `returns` of the tool names. What nobody has named reaches no agent. Pure.
import { Problem } from '@gantry/contract/problems.ts';

type Schema = Readonly<Record<string, unknown>>;

const most_depth = 100;
/** Of one place: `anyOf` in `allOf` in references. */
const most_schemas = 200;

/** Throws `server_unavailable` for an answer that is nested too deep. */
export function cutAnswer(value: unknown, returns: Schema): unknown {
  return cut(value, { root: returns, schemas: flat(returns, [returns]), depth: 0 });
}

interface At {
  root: Schema;
  /** All that say something about this place. */
  schemas: readonly Schema[];
  depth: number;
}

function cut(value: unknown, { root, schemas, depth }: At): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > most_depth)
    throw new Problem('server_unavailable', { detail: `The answer is nested deeper than ${most_depth} levels.` });
  const below = (named: readonly Schema[]) => ({ root, schemas: flat(root, named), depth: depth + 1 });
  if (Array.isArray(value)) {
    const items = schemas.flatMap((one) => schemaAt(one, 'items'));
    return value.map((item) => cut(item, below(items)));
  }
  const kept: [string, unknown][] = [];
  for (const [name, one] of Object.entries(value)) {
    const named = schemas.flatMap((schema) => schemaAt(schemaAt(schema, 'properties')[0], name));
    const others = named.length > 0 ? named : schemas.flatMap((schema) => schemaAt(schema, 'additionalProperties'));
    if (others.length > 0) kept.push([name, cut(one, below(others))]);
  }
  return Object.fromEntries(kept);
}

/** With those to which they refer, and those of which they are made. */
function flat(root: Schema, schemas: readonly Schema[]): Schema[] {
  const found = new Set<Schema>();
  const waiting = [...schemas];
  for (let next = waiting.pop(); next !== undefined && found.size < most_schemas; next = waiting.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    waiting.push(...referred(root, next['$ref']));
    for (const key of ['allOf', 'anyOf', 'oneOf']) {
      const list = next[key];
      if (Array.isArray(list)) waiting.push(...list.filter(isSchema));
    }
  }
  return [...found];
}

function referred(root: Schema, ref: unknown): Schema[] {
  if (ref === '#') return [root];
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return [];
  let at: Schema[] = [root];
  for (const part of ref.slice(2).split('/')) at = schemaAt(at[0], part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return at;
}

function schemaAt(schema: Schema | undefined, key: string): Schema[] {
  if (schema === undefined || !Object.hasOwn(schema, key)) return [];
  const value = schema[key];
  return isSchema(value) ? [value] : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
