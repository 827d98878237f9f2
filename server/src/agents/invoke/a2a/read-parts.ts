import { inLangchainForm } from '@gantry/contract/agents/files/print-file-part.ts';
import type { Json } from '../../../models/gateway/wires/wire.ts';
import { A2aError } from './a2a-error.ts';
import type { Part } from './params.ts';

/** What a message says. */
export type Said = { text: string } | { data: unknown };
/** The content of a message in langchain's form. */
export interface SaidWithFiles {
  content: Json[];
}

/** One data part, or the text of all parts. Throws the protocol's refusal of any other mixture. */
export function readParts(parts: readonly Part[]): Said {
  if (parts.some(isFile))
    throw new A2aError('CONTENT_TYPE_NOT_SUPPORTED', 'Text and data are taken here, and no files.');
  const data = parts.filter((part) => part.data !== undefined);
  const texts = parts.flatMap(({ text }) => text ?? []);
  const [only] = data;
  if (only !== undefined && data.length === 1 && texts.length === 0) return { data: only.data };
  if (data.length > 0) throw new A2aError('INVALID_PARAMS', 'A message has text, or one data part.');
  const text = texts.join('\n');
  if (text.trim() === '') throw new A2aError('INVALID_PARAMS', 'The message is empty.');
  return { text };
}

/** As readParts, for an agent that lists which files it takes. They are checked with the call. */
export function readPartsWithFiles(parts: readonly Part[]): Said | SaidWithFiles {
  if (!parts.some(isFile)) return readParts(parts);
  if (parts.some(({ data }) => data !== undefined))
    throw new A2aError('INVALID_PARAMS', 'A message has text and files, or one data part.');
  return { content: parts.map((part) => (isFile(part) ? fileOf(part) : { type: 'text', text: part.text ?? '' })) };
}

const isFile = ({ raw, url }: Part) => raw !== undefined || url !== undefined;

function fileOf({ raw: base64, url, mediaType: mime_type, filename }: Part): Json {
  return inLangchainForm({ type: 'file', base64, url, mime_type, filename });
}
