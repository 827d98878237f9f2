// The input of an agent from the messages of a request.
import { Problem } from '@gantry/contract/problems.ts';
import { messagesIntoInput } from '../invoke/messages-into-input.ts';
import type { Message } from './asked.ts';

/** All messages, or the last one for an agent with a single text. Throws `invalid`. */
export function intoInput(ref: string, schema: unknown, said: readonly Message[]): object {
  return messagesIntoInput({ ref, schema }, said, () => textFor(ref, said));
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
