import { z } from 'zod';

const ready = z.object({
  input_schema: z.object({
    properties: z.record(z.string().regex(/^\w{1,60}$/), z.object({ type: z.unknown().optional() })),
    required: z.array(z.string()).optional(),
  }),
});

// Of fields with these names one alone is an input; the others of such a state are written by the agent.
const usual = ['message', 'input', 'messages'];
const most_fields = 5;

/**
 * Something that an agent takes, with words filled in, from the JSON Schema that its /ready shows: so that the command which comes after a
 * deploy works as it is printed. Null when the agent, whose code may answer anything, says nothing of use.
 */
export function exampleInput(said: object): Record<string, unknown> | null {
  const { data } = ready.safeParse(said);
  if (data === undefined) return null;
  const { properties, required = [] } = data.input_schema;
  const known = Object.keys(properties);
  const one = usual.find((name) => known.includes(name)) ?? known[0];
  const needed = required.filter((name) => known.includes(name));
  const names = one !== undefined && (usual.includes(one) || needed.length === 0) ? [one] : needed;
  if (names.length === 0 || names.length > most_fields) return null;
  return Object.fromEntries(names.map((name) => [name, exampleOf(name, properties[name]?.type)]));
}

function exampleOf(name: string, type: unknown): unknown {
  if (name === 'messages') return [{ role: 'user', content: 'hi' }];
  switch (type) {
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'hi';
  }
}
