// A stored conversation as its reader sees it: what was said, and what was answered. An agent with messages has them in its state; for any other
// one, each run of its history is a turn.
import type { ThreadState } from '@gantry/contract/agents/threads.ts';
import { membersOf } from '../../parts/members-of.ts';
import { filesIn, type MessageFile } from './files/content-files.ts';
import type { Input, Part } from './turn.ts';

export interface Said {
  kind: 'said';
  id: string;
  text: string;
  files?: readonly MessageFile[];
  /** What the agent got, where that is not one text. */
  input?: Input;
}

export interface Answer {
  kind: 'answer';
  id: string;
  parts: readonly Part[];
  /** The values of a state, for an agent without messages. */
  output?: unknown;
}

export type Entry = Said | Answer;

export type Message = Record<string, unknown>;

/** The messages of a state, in whichever of its channels they are. Undefined without any. */
export function messagesIn(values: Readonly<Record<string, unknown>>, field = 'messages'): Message[] | undefined {
  const found = values[field];
  return Array.isArray(found) ? found.filter(isMessage) : undefined;
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'role' in value;
}

/** A message without an id is known by its place. */
export const idOf = ({ id }: Message, index: number): string => (typeof id === 'string' ? id : `#${index}`);

export function entriesOf(messages: readonly Message[]): Entry[] {
  const entries: Entry[] = [];
  messages.forEach((message, index) => {
    const id = idOf(message, index);
    const text = textOf(message['content']);
    const files = filesIn(message['content']);
    if (message['role'] === 'user') return void entries.push({ kind: 'said', id, text, files });
    if (message['role'] === 'tool') return giveResult(entries, message['tool_call_id'], text);
    // What the agent is told about itself is no part of the conversation.
    if (message['role'] === 'system') return;
    const last = entries.at(-1);
    const answer: Answer = last?.kind === 'answer' ? last : { kind: 'answer', id, parts: [] };
    const parts: Part[] = [
      ...(text === '' ? [] : [{ kind: 'text', id, text } as const]),
      ...(files.length === 0 ? [] : [{ kind: 'files', id, files } as const]),
      ...callsOf(message),
    ];
    // The last message of an answer names it: a fork of it has all of them.
    entries.splice(answer === last ? -1 : entries.length, 1, { ...answer, id, parts: [...answer.parts, ...parts] });
  });
  return entries;
}

function callsOf({ tool_calls }: Message): Part[] {
  if (!Array.isArray(tool_calls)) return [];
  return (tool_calls as unknown[]).map((call, index) => {
    const { id, name, args } = membersOf(call);
    return {
      kind: 'tool',
      id: typeof id === 'string' ? id : `#${index}`,
      name: typeof name === 'string' ? name : 'tool',
      args: JSON.stringify(args ?? {}),
      isOver: false,
    };
  });
}

function giveResult(entries: Entry[], call_id: unknown, result: string): void {
  const last = entries.at(-1);
  if (last?.kind !== 'answer') return;
  const given = (part: Part) =>
    part.kind === 'tool' && part.id === call_id ? { ...part, result, isOver: true } : part;
  entries.splice(-1, 1, { ...last, parts: last.parts.map(given) });
}

/** The texts of a content in parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as unknown[])
    .map((part) => membersOf(part)['text'])
    .filter((text) => typeof text === 'string')
    .join('');
}

/** Turns of an agent without messages. `states` are the newest first; `fields` are those of its input. */
export function runsOf(states: readonly ThreadState[], fields: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  const oldest = states.toReversed();
  oldest.forEach(({ checkpoint_id, source, values, run_id }, index) => {
    if (source === 'input') return;
    const begins = index === 0 || oldest[index - 1]?.source === 'input';
    if (begins) {
      const input = pick(values, (name) => fields.includes(name));
      entries.push({ kind: 'said', id: checkpoint_id, text: textOfInput(input), input });
    }
    const next = oldest[index + 1];
    const isLast = next === undefined || next.source === 'input';
    const output = pick(values, (name) => !fields.includes(name));
    // A run that asks before it has written anything has no answer yet.
    if (isLast && Object.keys(output).length > 0)
      entries.push({ kind: 'answer', id: run_id ?? checkpoint_id, parts: [], output });
  });
  return entries;
}

function pick(values: Readonly<Record<string, unknown>>, has: (name: string) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => has(name)));
}

/** The text of an input: that of its only text or of its last message, else its JSON. */
export function textOfInput(input: Input): string {
  const [only, ...others] = Object.values(input);
  if (others.length > 0) return JSON.stringify(input, null, 2);
  if (typeof only === 'string') return only;
  const content = lastContent(only);
  const said = textOf(content);
  return said === '' && filesIn(content).length === 0 ? JSON.stringify(input) : said;
}

/** The files of its last message. */
export function filesOfInput(input: Input): MessageFile[] {
  const [only, ...others] = Object.values(input);
  return others.length > 0 ? [] : filesIn(lastContent(only));
}

const lastContent = (messages: unknown): unknown =>
  Array.isArray(messages) ? membersOf(messages.at(-1))['content'] : undefined;

/** What an output says: a text, the member that is named as one, or its only text. Undefined for other data. */
export function mainTextOf(output: unknown): string | undefined {
  if (typeof output === 'string') return output;
  const members = membersOf(output);
  const named = ['answer', 'output', 'result', 'response', 'raw'].map((name) => members[name]);
  const texts = [...named, ...(Object.keys(members).length === 1 ? Object.values(members) : [])];
  return texts.find((value) => typeof value === 'string' && value !== '') as string | undefined; // as found
}
