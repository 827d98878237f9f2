// The input of a call of an agent, and the view of its answer.
import { text as readAll } from 'node:stream/consumers';
import { inputFields } from '@gantry/project/input/input-fields.ts';
import { textIntoInput } from '@gantry/project/input/text-into-input.ts';
import { inputWithFiles } from './attach-files.ts';
import { misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { faint, line, verbatim, type View } from '../view/view.ts';

/**
 * The agent's `input`: the JSON object given, stdin for `-`, or a text for the agent's only text field. Text that begins like an
 * object but is not one is a typing error, not a message. With files it is one message.
 */
export async function readInput(
  session: Session,
  name: string,
  { given, files = [] }: { given: string | undefined; files?: readonly string[] },
): Promise<Record<string, unknown>> {
  if (given === undefined && files.length > 0) return await inputWithFiles(session, { name, text: '', files });
  const source = given === '-' ? await readAll(process.stdin) : (given ?? '{}');
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    if (/^\s*\{/.test(source)) throw misuse(`The input is not JSON: ${why}`, `Quote it for the shell: ${example}.`);
    return await inputOfText(session, name, source.replace(/\r?\n$/, ''), files);
  }
  if (typeof value !== 'object' || value === null)
    return await inputOfText(session, name, typeof value === 'string' ? value : source.trim(), files);
  if (files.length > 0) throw misuse('--file goes with a text', 'In JSON a file is a part of a message.');
  if (Array.isArray(value)) throw misuse('The input must be a JSON object or a text', `Write it like ${example}.`);
  return value as Record<string, unknown>; // just proved an object
}

const example = `'{"message":"hi"}'`;

async function inputOfText(
  session: Session,
  name: string,
  text: string,
  files: readonly string[],
): Promise<Record<string, unknown>> {
  if (files.length > 0) return await inputWithFiles(session, { name, text, files });
  if (text.trim() === '') throw misuse('The input is empty', `Write it like ${example}, or give a text.`);
  const { input_schema } = await session.call('invoke.input', { params: { name } });
  const fields = inputFields(input_schema);
  const [only] = fields;
  if (only === undefined)
    throw misuse(`${name} declares no input fields, so a text is not enough`, `Give JSON, such as ${example}.`);
  const fitted = textIntoInput(input_schema, text);
  if (fitted !== undefined) return fitted;
  const named = fields.map((field) => (field.type === undefined ? field.name : `${field.name} (${field.type})`));
  const blank = JSON.stringify(Object.fromEntries(fields.map((field) => [field.name, '…'])));
  throw misuse(
    `${name} takes ${named.join(', ')}, so a text is not enough`,
    `Give JSON: svc invoke ${name} '${blank}'.`,
  );
}

const finished = new Set(['done', 'completed', 'success']);

/** The last message of a conversation, a text, or else the output as JSON. */
export function describeAnswer(answer: Record<string, unknown>): View {
  const { output, status, interrupts } = answer;
  const said = lastMessage(output) ?? soleText(output);
  return [
    verbatim(said ?? (output === undefined ? '' : JSON.stringify(output, null, 2))),
    ...(typeof status !== 'string' || finished.has(status) ? [] : [line(faint(`status: ${status}`))]),
    // A graph that asks a person a question stops here, with its questions.
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

/** A plain text, or a crew's `raw`. */
function soleText(output: unknown): string | undefined {
  if (typeof output === 'string') return output;
  return typeof output === 'object' && output !== null && 'raw' in output && typeof output.raw === 'string'
    ? output.raw
    : undefined;
}
