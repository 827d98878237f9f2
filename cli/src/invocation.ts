// What goes into a call of an agent, and what people are shown of its answer.
import { text as readAll } from 'node:stream/consumers';
import { misuse } from './refusal.ts';
import { faint, line, verbatim, type View } from './view/view.ts';

/** The JSON given, or stdin for `-`; the agent's `input` is an object. */
export async function readInput(given: string | undefined): Promise<Record<string, unknown>> {
  const source = given === '-' ? await readAll(process.stdin) : (given ?? '{}');
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw misuse(`The input is not JSON: ${why}`, `Quote it for the shell: '{"message":"hi"}'.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw misuse('The input is a JSON object', `Write it like '{"message":"hi"}'.`);
  return value as Record<string, unknown>; // just proved an object
}

const finished = new Set(['done', 'completed', 'success']);

/** The last message of a conversation, a text, else the output as JSON. */
export function describeAnswer(answer: Record<string, unknown>): View {
  const { output, status, interrupts } = answer;
  const said = lastMessage(output) ?? soleText(output);
  return [
    verbatim(said ?? (output === undefined ? '' : JSON.stringify(output, null, 2))),
    ...(typeof status !== 'string' || finished.has(status) ? [] : [line(faint(`status: ${status}`))]),
    // A graph that asks a person something stops here, with its questions.
    ...(interrupts === undefined ? [] : [verbatim(JSON.stringify(interrupts, null, 2))]),
  ];
}

function lastMessage(output: unknown): string | undefined {
  if (typeof output !== 'object' || output === null || !('messages' in output) || !Array.isArray(output.messages))
    return undefined;
  const last: unknown = output.messages.at(-1);
  return typeof last === 'object' && last !== null && 'content' in last && typeof last.content === 'string'
    ? last.content
    : undefined;
}

/** A plain text, or what a crew calls `raw`. */
function soleText(output: unknown): string | undefined {
  if (typeof output === 'string') return output;
  return typeof output === 'object' && output !== null && 'raw' in output && typeof output.raw === 'string'
    ? output.raw
    : undefined;
}
