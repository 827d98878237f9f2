// Messages of a chat as the input of an agent.
import { inputFields } from '@gantry/project/input/input-fields.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { textIntoInput } from '@gantry/project/input/text-into-input.ts';

/** An agent with a conversation gets the messages, and one with a single text what `textOf` says. Throws `invalid` for any other agent. */
export function messagesIntoInput(
  { ref, schema }: { ref: string; schema: unknown },
  messages: readonly object[],
  textOf: () => string,
): object {
  const [only, ...others] = inputFields(schema);
  if (only?.isConversation === true && others.length === 0) return { [only.name]: messages };
  if (textIntoInput(schema, '') !== undefined) return { ...textIntoInput(schema, textOf()) };
  const fields = inputFields(schema).map(({ name }) => name);
  throw new Problem('invalid', {
    detail: `Messages do not fit the input of ${ref}, which ${fields.length === 0 ? 'declares no input' : `takes ${fields.join(', ')}`}.`,
    hint: 'Call it with `input`: POST /agents/<name>/invoke.',
  });
}
