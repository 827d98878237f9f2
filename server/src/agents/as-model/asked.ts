// What a client of OpenAI asks of an agent, in one form for both formats.
import { Problem } from '@gantry/contract/problems.ts';
import { isJson, listOf, type Json } from '../../models/gateway/wires/wire.ts';

export interface AskedOfAgent {
  said: readonly Message[];
  stream: boolean;
  /** Undefined for a format without threads. */
  thread?: AskedThread;
  /** The client wants the last event of a stream to count tokens. */
  wants_usage: boolean;
}

export interface AskedThread {
  /** Undefined: a new one, which the next request can continue. */
  name: string | undefined;
  /** The client asked not to keep it. */
  is_forgotten: boolean;
}

export interface Message {
  role: 'system' | 'developer' | 'user' | 'assistant';
  content: string | readonly Json[];
}

interface Refusal {
  name: string;
  /** Whether this value asks for something. Absent: each value that is not empty does. */
  asks?: (value: unknown) => boolean;
  message: string;
}

/**
 * Members that would change the meaning of the answer. Clients send many others, such as `temperature`, with each request. They are about a model,
 * and the agent chooses its own.
 */
export function refuseMembers(body: Json, refusals: readonly Refusal[]): void {
  const errors = refusals
    .filter(({ name, asks = isAsked }) => asks(body[name]))
    .map(({ name, message }) => ({ pointer: `/${name}`, message }));
  if (errors.length > 0) throw new Problem('invalid', { errors });
}

/** Null, false, an empty list and an empty text ask for nothing. */
function isAsked(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== '';
}

/** A member with a `type`, of which only `text` is the usual one. */
export const isNotText = (value: unknown) => isJson(value) && value['type'] !== undefined && value['type'] !== 'text';

/** Parts that are all texts become one text: most agents read only that. */
export function contentOf(
  content: unknown,
  pointer: string,
  part: (part: Json, pointer: string) => Json,
): Message['content'] {
  if (typeof content === 'string') return content;
  const parts = listOf(content).map((one, index) => part(isJson(one) ? one : {}, `${pointer}/${index}`));
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length === parts.length ? texts.join('\n') : parts;
}

export function refused(pointer: string, message: string): Problem {
  return new Problem('invalid', { errors: [{ pointer, message }] });
}
