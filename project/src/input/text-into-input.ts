import { inputFields } from './input-fields.ts';

/** The input of an agent from a text: its conversation, or its only text field. Undefined where its schema takes more, or is missing. */
export function textIntoInput(schema: unknown, text: string): Record<string, unknown> | undefined {
  const [only, ...others] = inputFields(schema);
  if (only === undefined || others.length > 0) return undefined;
  if (only.isConversation) return { [only.name]: [{ role: 'user', content: text }] };
  // A crew's variables have no type: they are inserted into texts.
  return (only.type ?? 'string') === 'string' ? { [only.name]: text } : undefined;
}
