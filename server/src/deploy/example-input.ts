import { inputFields, type InputField } from '@gantry/contract/input-fields.ts';

const max_fields = 5;

/**
 * Something that an agent takes, with words filled in, from the JSON Schema that its /ready shows: so that the command which comes after a
 * deploy works as it is printed. Null when the agent says nothing of use.
 */
export function exampleInput(said: { input_schema?: unknown }): Record<string, unknown> | null {
  const all = inputFields(said.input_schema);
  const fields = all.some(({ isRequired }) => isRequired) ? all : all.slice(0, 1);
  if (fields.length === 0 || fields.length > max_fields) return null;
  return Object.fromEntries(fields.map((field) => [field.name, exampleOf(field)]));
}

function exampleOf({ isConversation, type }: InputField): unknown {
  if (isConversation) return [{ role: 'user', content: 'hi' }];
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
