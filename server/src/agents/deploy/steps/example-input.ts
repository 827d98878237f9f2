import { inputFields, type InputField } from '@gantry/project/input/input-fields.ts';

const max_fields = 5;

/**
 * An input that an agent accepts, from the JSON Schema in its /ready answer. So the command that is printed after a deploy works unchanged.
 * Null when the schema gives no example.
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
