import { z } from 'zod';

export interface InputField {
  name: string;
  /** A list of {role, content}. */
  isConversation: boolean;
  /** JSON Schema's; undefined where it says something else than one type. */
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
// A name that a shell or a terminal could take for something else is no field that people fill in.
const schema = z.object({
  properties: z.record(z.string().regex(/^\w{1,60}$/), property),
  required: z.array(z.string()).optional(),
});

// Of fields with these names one alone is an input; the others of such a state are written by the agent.
const usual = ['message', 'input', 'messages'];

/**
 * The fields that a caller fills in, from the JSON Schema of an agent's `input`. Such a schema is made of the whole state of a graph, so what
 * it calls required is more than a caller gives. All of them where none is required. Empty when the agent, whose code may answer anything, says nothing of use.
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
