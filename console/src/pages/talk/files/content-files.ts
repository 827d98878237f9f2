// Files in a message, in the forms of langchain's content parts and of OpenAI's. Their names, types and data are the words of others: only data of four
// picture types becomes a picture, and an address is never loaded.
import { membersOf } from '../../../parts/members-of.ts';

export interface MessageFile {
  name: string;
  /** Undefined: it is not in the message. */
  bytes: number | undefined;
  /** A `data:` address. Undefined: no picture, or not in the message. */
  picture?: string;
}

/** SVG is none of them: it is a document. */
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const most_shown = 80;

export function filesIn(content: unknown): MessageFile[] {
  if (!Array.isArray(content)) return [];
  return (content as unknown[]).flatMap((part) => fileOf(membersOf(part)) ?? []);
}

function fileOf(part: Record<string, unknown>): MessageFile | undefined {
  const { type } = part;
  if (type !== 'image' && type !== 'image_url' && type !== 'file' && type !== 'audio' && type !== 'video')
    return undefined;
  const kind = type === 'image_url' ? 'image' : type;
  const file = membersOf(part['file']);
  const name = [part['filename'], part['name'], file['filename'], membersOf(part['extras'])['filename']].find(isText);
  const { media_type, base64 } = dataOf(part, file);
  const shown = name === undefined ? kind : plain(name);
  if (base64 === undefined) return { name: shown, bytes: undefined };
  const bytes = Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
  if (!pictures.includes(media_type)) return { name: shown, bytes };
  return { name: shown, bytes, picture: `data:${media_type};base64,${base64}` };
}

function dataOf(
  part: Record<string, unknown>,
  file: Record<string, unknown>,
): { media_type: string; base64: string | undefined } {
  const source = membersOf(part['source']);
  const url = [membersOf(part['image_url'])['url'], part['image_url'], part['url'], file['file_data']].find(isText);
  const inUrl = url === undefined ? undefined : /^data:([\w.+/-]{1,100});base64,/.exec(url);
  const [start = '', media_type = ''] = inUrl ?? [];
  if (url !== undefined && inUrl) return { media_type, base64: asBase64(url.slice(start.length)) };
  const given = [part['base64'], part['data'], source['data']].find(isText);
  const type = [part['mime_type'], part['media_type'], source['media_type']].find(isText) ?? '';
  return { media_type: type, base64: given === undefined ? undefined : asBase64(given) };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function asBase64(text: string): string | undefined {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? text : undefined;
}

/** Without characters that hide or turn around a part of it. */
function plain(name: string): string {
  const line = name.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return line.length <= most_shown ? line : `${line.slice(0, most_shown - 1)}…`;
}
