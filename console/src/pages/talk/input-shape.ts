// How a person gives an agent its input: a message, the fields of a form, or JSON.
import { inputFields, type InputField } from '@gantry/project/input/input-fields.ts';

export interface InputShape {
  fields: readonly InputField[];
  /** The field that takes what a person types, where that is the whole input. */
  line: InputField | undefined;
  /** Its list of messages. */
  isConversation: boolean;
}

export function inputShape(schema: unknown): InputShape {
  const fields = inputFields(schema);
  const [only, ...others] = fields;
  const isLine = only !== undefined && others.length === 0 && (only.isConversation || only.type === 'string');
  return { fields, line: isLine ? only : undefined, isConversation: isLine && only.isConversation };
}
