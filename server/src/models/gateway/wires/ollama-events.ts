// Where the lines of a stream of Ollama carry text. The last line can have the last piece.
import type { Delta, Event, EventForm } from '../../guardrails/guarded-events.ts';
import { ollamaDocument } from './document-forms.ts';
import { isJson, listOf } from './wire.ts';

/** The texts of a chat are below `message`, those of a prompt at the top. */
const kinds: readonly (readonly string[])[] = [
  ['message', 'thinking'],
  ['message', 'content'],
  ['thinking'],
  ['response'],
];

export const ollamaEvents: EventForm = {
  document: ollamaDocument,
  read: (event) => {
    if (typeof event['error'] === 'string') return { event, deltas: [], ends: [], isOnlyDeltas: false };
    if (typeof event['done'] !== 'boolean') return undefined;
    const isDone = event['done'];
    const { message } = event;
    const hasCalls = isJson(message) && listOf(message['tool_calls']).length > 0;
    const deltas = kinds.flatMap((path) => deltaAt(event, path, isDone));
    const without = kinds.map((path) => path.join(' ')).filter((name) => !deltas.some((delta) => delta.name === name));
    return { event, deltas, ends: isDone || hasCalls ? without : [], isOnlyDeltas: !isDone && !hasCalls };
  },
};

function deltaAt(event: Event, path: readonly string[], isDone: boolean): Delta[] {
  const [first = '', second] = path;
  const { message, thinking: _, response: __, ...rest } = event;
  const value = second === undefined ? event[first] : isJson(message) ? message[second] : undefined;
  if (typeof value !== 'string') return [];
  const role = isJson(message) ? message['role'] : 'assistant';
  // `content` of a thought is empty, and clients read it all the same.
  const print = (text: string): Event => ({
    ...rest,
    ...(second === undefined ? { response: '', [first]: text } : { message: { role, content: '', [second]: text } }),
    done: false,
  });
  return [{ name: path.join(' '), path, text: value, ...(isDone && { isLast: true }), print }];
}
