// Which files an agent takes in a message. The service, the console and `svc` decide it here, so all of them say the same.
import { z } from 'zod';
import { bytesOf, type FilePart } from './file-part.ts';
import { isListed, mediaRange } from './media-types.ts';
import { isAsItsType } from './signatures.ts';

/** Of one message. */
export const most_files = 10;
/** The most that the setting can say: in base64 it fits the body of a call. */
export const most_file_mb = 7;

export const takenFiles = z.object({
  types: z.array(mediaRange).describe('media types, or kinds such as image/*; none: the agent takes no files'),
  max_bytes: z.int().describe('the size of the largest file'),
  max_files: z.int().describe('the most files of one message'),
});
export type TakenFiles = z.output<typeof takenFiles>;

/** Undefined for a file that the agent takes. The sentence names the file. */
export function whyNotTaken(file: FilePart, { types, max_bytes }: TakenFiles): string | undefined {
  const { media_type, base64, is_elsewhere } = file;
  const named = nameOf(file);
  if (is_elsewhere) return `${named} is an address or an id. The agent takes files whose content is in the message.`;
  if (media_type === undefined) return `${named} does not say one media type. ${typesOf(types)}`;
  if (!isListed(media_type, types)) return `${named} is ${shown(media_type)}. ${typesOf(types)}`;
  if (base64 === undefined) return `${named} has no content in base64, or two contents.`;
  const bytes = bytesOf(base64);
  if (bytes > max_bytes) return `${named} has ${sizeOf(bytes)}. A file has at most ${sizeOf(max_bytes)}.`;
  if (!isAsItsType(media_type, base64)) return `${named} says that it is ${media_type}, and its content is not.`;
  return undefined;
}

export const tooMany = (count: number, { max_files }: TakenFiles): string =>
  `A message has at most ${max_files} files, and this one has ${count}.`;

export function typesOf(types: readonly string[]): string {
  if (types.length === 0) return 'The agent takes no files.';
  const [last, ...others] = types.toReversed();
  const list = others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
  return `The agent takes ${list}.`;
}

export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 ** 2 ? `${round(bytes / 1024)} kB` : `${round(bytes / 1024 ** 2)} MB`;
}

const round = (size: number) => size.toFixed(1).replace(/\.0$/, '');

const nameOf = ({ name, kind }: FilePart) => (name === undefined || name === '' ? `A file (${kind})` : `"${name}"`);

const shown = (media_type: string) => (media_type.length <= 100 ? media_type : `${media_type.slice(0, 99)}…`);
