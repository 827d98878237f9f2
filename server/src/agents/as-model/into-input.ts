// The body of the call to the agent.
import { inputFields } from '@gantry/project/input/input-fields.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { textIntoInput } from '@gantry/project/input/text-into-input.ts';
import type { Message } from './asked.ts';

/** An agent with a conversation gets all messages, and one with a single text the last one. Throws `invalid` for any other agent. */
export function intoInput(ref: string, schema: unknown, said: readonly Message[]): object {
  const [only, ...others] = inputFields(schema);
  if (only?.isConversation === true && others.length === 0) return { [only.name]: said };
  if (textIntoInput(schema, '') === undefined) throw notMessages(ref, schema);
  return { ...textIntoInput(schema, textFor(ref, said)) };
}

/** It has no place for the messages before, and a message of the system would be lost. */
function textFor(ref: string, said: readonly Message[]): string {
  const last = said.at(-1);
  if (last?.role !== 'user' || typeof last.content !== 'string')
    throw new Problem('invalid', {
      detail: `${ref} takes one text: the last message must be one of the user, with text alone.`,
    });
  if (said.some(({ role }) => role === 'system' || role === 'developer'))
    throw new Problem('invalid', {
      detail: `${ref} takes one text, and no message with the role system or developer.`,
    });
  return last.content;
}

function notMessages(ref: string, schema: unknown): Problem {
  const fields = inputFields(schema).map(({ name }) => name);
  return new Problem('invalid', {
    detail: `Messages do not fit the input of ${ref}, which ${fields.length === 0 ? 'declares no input' : `takes ${fields.join(', ')}`}.`,
    hint: 'Call it with POST /agents/<name>/invoke.',
  });
}
