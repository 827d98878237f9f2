export interface InputField {
  name: string;
  /** A list of {role, content}. */
  isConversation: boolean;
  /** The JSON Schema type; undefined unless it is exactly one. */
  type: string | undefined;
  isRequired: boolean;
}

// Only one of these names is an input; the agent writes the other fields of such a state.
const usual = ['message', 'input', 'messages'];

/**
 * The fields that a caller fills in, from the JSON Schema of an agent's `input`. The schema covers a graph's whole state, so it
 * requires more than a caller gives. All of them where none is required. Empty when the agent's answer is unusable.
 */
export function inputFields(said: unknown): InputField[] {
  const { properties, required = [] } = membersOf(said);
  const named = Object.entries(membersOf(properties));
  if (!Array.isArray(required) || !named.every(isUsable)) return [];
  const known = named.map(([name, property]): InputField => {
    const { type: given, items } = membersOf(property);
    const type = typeof given === 'string' ? given : undefined;
    const item = membersOf(membersOf(items)['properties']);
    const hasMessages = type === 'array' && 'role' in item && 'content' in item;
    const isConversation = hasMessages || (name === 'messages' && type !== 'string');
    return { name, isConversation, type, isRequired: required.includes(name) };
  });
  const alone = usual.flatMap((name) => known.find((field) => field.name === name) ?? [])[0];
  if (alone !== undefined) return [alone];
  const conversation = known.find(({ isConversation }) => isConversation);
  if (conversation !== undefined) return [conversation];
  const needed = known.filter(({ isRequired }) => isRequired);
  return needed.length > 0 ? needed : known;
}

// A name that a shell or a terminal could interpret is not offered as a field.
function isUsable([name, property]: [string, unknown]): boolean {
  return /^\w{1,60}$/.test(name) && typeof property === 'object' && property !== null;
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
