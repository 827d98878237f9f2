// A file in a message, in the forms of langchain's content parts, OpenAI, Anthropic, Gemini and AG-UI. Its name, type and data are the words of others.
// A part that has two contents or two types is not read: the libraries disagree on which of them counts.
import { plainType } from './media-types.ts';

export interface FilePart {
  kind: 'image' | 'file' | 'audio' | 'video';
  /** Without characters that hide or turn around a part of it. Undefined: it has none. */
  name: string | undefined;
  /** In lower case and without parameters. Undefined: it says none, or two. */
  media_type: string | undefined;
  /** Undefined: it is not in the message, or is not read. */
  base64: string | undefined;
  /** The part has an address or an id of a file instead. */
  is_elsewhere: boolean;
}

const kinds: Readonly<Record<string, FilePart['kind']>> = {
  image: 'image',
  image_url: 'image',
  input_image: 'image',
  file: 'file',
  input_file: 'file',
  document: 'file',
  binary: 'file',
  media: 'file',
  'text-plain': 'file',
  audio: 'audio',
  audio_url: 'audio',
  input_audio: 'audio',
  video: 'video',
  video_url: 'video',
};
const places = 'source file image_url audio_url video_url input_audio inline_data inlineData'.split(' ');
const of_content =
  'base64 data value file_data image audio video url uri file_uri file_url image_url audio_url video_url'.split(' ');
const of_id = ['file_id', 'fileId'];
const of_type = ['mime_type', 'media_type', 'mimeType', 'mediaType'];
const of_name = ['filename', 'name', 'title'];
const most_shown = 80;

type Members = Readonly<Record<string, unknown>>;

/** Undefined for a part that is no file. A document that is written out as text is none. */
export function readFilePart(part: unknown): FilePart | undefined {
  const members = membersOf(part);
  const kind = kindOf(members);
  if (kind === undefined) return undefined;
  const all = [members, ...places.map((name) => membersOf(members[name]))];
  const { type } = membersOf(members['source']);
  // The data of these is a text, or an id.
  const contents = type === 'text' || type === 'file' ? [] : textsIn(all, of_content);
  const isById = type === 'file' || textsIn(all, of_id).length > 0;
  if (contents.length === 0 && !isById && hasWords(members)) return undefined;
  const read = contents.map(readContent);
  const [only] = read;
  const types = new Set([...textsIn(all, of_type).map(plainType), ...audioTypes(members)]);
  for (const { media_type } of read) if (media_type !== undefined) types.add(media_type);
  const [media_type] = types;
  const [name] = textsIn([...all, membersOf(members['extras']), membersOf(members['metadata'])], of_name);
  return {
    kind,
    name: name === undefined || plainName(name) === '' ? undefined : plainName(name),
    media_type: types.size === 1 ? media_type : undefined,
    base64: read.length === 1 && !isById ? only?.base64 : undefined,
    is_elsewhere: isById ? read.length === 0 : read.length === 1 && only?.is_address === true,
  };
}

/** The bytes of a content in base64. */
export function bytesOf(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

function kindOf(members: Members): FilePart['kind'] | undefined {
  const { type } = members;
  if (typeof type === 'string' && Object.hasOwn(kinds, type)) return kinds[type];
  return 'inline_data' in members || 'inlineData' in members ? 'file' : undefined;
}

/** The parts of a document in parts are read by themselves. */
function hasWords({ text, source }: Members): boolean {
  const { type } = membersOf(source);
  return typeof text === 'string' || type === 'text' || type === 'content';
}

interface Content {
  base64?: string;
  media_type?: string;
  is_address?: boolean;
}

const base64_text = /^[A-Za-z0-9+/]+={0,2}$/;

function readContent(text: string): Content {
  const [start, type] = /^data:([\w.+/-]{1,150})(?:;[\w.+-]{1,50}=[\w.+-]{1,50}){0,3};base64,/i.exec(text) ?? [];
  if (start !== undefined && type !== undefined) {
    const rest = text.slice(start.length);
    return { media_type: plainType(type), ...(base64_text.test(rest) && { base64: rest }) };
  }
  if (base64_text.test(text)) return { base64: text };
  return { is_address: /^(?!data:)[a-z][a-z0-9+.-]*:/i.test(text) };
}

/** OpenAI names the format of a sound. */
function audioTypes({ input_audio }: Members): string[] {
  const { format } = membersOf(input_audio);
  if (!isText(format)) return [];
  return [format === 'mp3' ? 'audio/mpeg' : `audio/${plainType(format)}`];
}

function textsIn(all: readonly Members[], names: readonly string[]): string[] {
  return all.flatMap((place) => names.map((name) => place[name]).filter(isText));
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

export function plainName(name: string): string {
  const line = name.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return line.length <= most_shown ? line : `${line.slice(0, most_shown - 1)}…`;
}
