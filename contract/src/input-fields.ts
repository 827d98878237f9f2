import { z } from 'zod';

export interface InputField {
  name: string;
  /** A list of {role, content}. */
  isConversation: boolean;
  /** The JSON Schema type; undefined unless it is exactly one. */
  type: string | undefined;
  isRequired: boolean;
}

const property = z.object({
  type: z.string().optional().catch(undefined),
  items: z
    .object({ properties: z.object({ role: z.unknown(), content: z.unknown() }) })
    .optional()
    .catch(undefined),
});
// A name that a shell or a terminal could interpret is not offered as a field.
const schema = z.object({
  properties: z.record(z.string().regex(/^\w{1,60}$/), property),
  required: z.array(z.string()).optional(),
});

// Of these names only one is an input; the agent writes the other fields of such a state.
const usual = ['message', 'input', 'messages'];

/**
 * The fields that a caller fills in, from the JSON Schema of an agent's `input`. The schema covers a graph's whole state, so it
 * requires more than a caller gives. All of them where none is required. Empty when the agent's answer is unusable.
 */
export function inputFields(said: unknown): InputField[] {
  const { data } = schema.safeParse(said);
  if (data === undefined) return [];
  const { properties, required = [] } = data;
  const known = Object.entries(properties).map(([name, { type, items }]): InputField => {
    const isConversation = (items !== undefined && type === 'array') || (name === 'messages' && type !== 'string');
    return { name, isConversation, type, isRequired: required.includes(name) };
  });
  const alone = usual.flatMap((name) => known.find((field) => field.name === name) ?? [])[0];
  if (alone !== undefined) return [alone];
  const conversation = known.find(({ isConversation }) => isConversation);
  if (conversation !== undefined) return [conversation];
  const needed = known.filter(({ isRequired }) => isRequired);
  return needed.length > 0 ? needed : known;
}
