import { A2aError } from './a2a-error.ts';
import type { Part } from './params.ts';

/** What a message says. */
export type Said = { text: string } | { data: unknown };

/** One data part, or the text of all parts. Throws the protocol's refusal of any other mixture. */
export function readParts(parts: readonly Part[]): Said {
  if (parts.some((part) => part.raw !== undefined || part.url !== undefined))
    throw new A2aError('CONTENT_TYPE_NOT_SUPPORTED', 'Agents take text and data, and no files.');
  const data = parts.filter((part) => part.data !== undefined);
  const texts = parts.flatMap(({ text }) => text ?? []);
  const [only] = data;
  if (only !== undefined && data.length === 1 && texts.length === 0) return { data: only.data };
  if (data.length > 0) throw new A2aError('INVALID_PARAMS', 'A message has text, or one data part.');
  const text = texts.join('\n');
  if (text.trim() === '') throw new A2aError('INVALID_PARAMS', 'The message is empty.');
  return { text };
}
