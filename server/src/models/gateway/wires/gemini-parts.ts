// The parts of Gemini's contents: text, data in the request, calls of functions and their results.
import { invalid, isJson, listOf, type Json } from './wire.ts';

export interface GeminiPart {
  part: Json;
  /** How its data is bounded: an image has a most, a file fills the context, and text is counted as it is. */
  kind: 'image' | 'file' | 'text';
  /** Empty for a text. */
  data: string;
  /** The type of the data, in lower case. */
  mime: string;
}

/** With the parts of the results of functions. */
export function partsOf(contents: readonly unknown[]): GeminiPart[] {
  return contents.flatMap((content) => (isJson(content) ? listOf(content['parts']) : [])).flatMap(readPart);
}

/** A file that the vendor keeps belongs to the service's account, which all callers share. Throws `invalid`. */
export function refuseKept(parts: readonly GeminiPart[]): void {
  if (!parts.some(({ part }) => part['fileData'] !== undefined && part['fileData'] !== null)) return;
  throw invalid([
    {
      path: ['contents'],
      message: 'has `fileData`, which names a file at the vendor or an address; send the file as `inlineData`',
    },
  ]);
}

function readPart(part: unknown): GeminiPart[] {
  if (!isJson(part)) return [];
  const { inlineData, functionResponse } = part;
  const inner = isJson(functionResponse) ? listOf(functionResponse['parts']).flatMap(readPart) : [];
  if (!isJson(inlineData)) return [{ part, kind: 'text', data: '', mime: '' }, ...inner];
  const [mime, data] = [textIn(inlineData['mimeType']).toLowerCase(), textIn(inlineData['data'])];
  // Base64 has more bytes than its text has tokens.
  if (mime.startsWith('text/')) return [{ part, kind: 'text', data: '', mime }, ...inner];
  return [{ part, kind: mime.startsWith('image/') ? 'image' : 'file', data, mime }, ...inner];
}

const textIn = (value: unknown) => (typeof value === 'string' ? value : '');
