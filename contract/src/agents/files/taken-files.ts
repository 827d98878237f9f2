// Which files an agent takes in a message. The service, the console and `svc` decide it here, so all of them say the same.
import { z } from 'zod';
import { bytesOf, plainName, type FilePart } from './file-part.ts';
import { isListed, mediaRange } from './media-types.ts';
import { isAsItsType } from './signatures.ts';

/** Of one message. */
export const most_files = 10;
/** Of the files of one message together. In base64 it fits the body of a call, so no setting allows a larger file. */
export const most_message_mb = 7;

export const takenFiles = z.object({
  types: z.array(mediaRange).describe('media types, or kinds such as image/*; none: the agent takes no files'),
  max_bytes: z.int().describe('the size of the largest file'),
  max_files: z.int().describe('the most files of one message'),
  max_message_bytes: z.int().describe('the most bytes of the files of one message together'),
});
export type TakenFiles = z.output<typeof takenFiles>;

/** Undefined for a file that the agent takes. The sentence names the file. */
export function whyNotTaken(file: FilePart, taken: TakenFiles): string | undefined {
  const { name, kind, media_type, base64, is_elsewhere } = file;
  const named = name === undefined ? `A file (${kind})` : quoted(name);
  if (is_elsewhere) return `${named} is an address or an id. The agent takes files whose content is in the message.`;
  const refused = whyNotListed(named, media_type, taken);
  if (refused !== undefined) return refused;
  if (base64 === undefined) return `${named} has no content in base64, or two contents.`;
  const large = whyNotThisLarge(named, bytesOf(base64), taken);
  if (large !== undefined || media_type === undefined || isAsItsType(media_type, base64)) return large;
  return `${named} says that it is ${media_type}, and its content is not.`;
}

/** As whyNotTaken, before the file is read. */
export function whyNotOffered(
  { name, media_type, bytes }: { name: string; media_type: string | undefined; bytes: number },
  taken: TakenFiles,
): string | undefined {
  const named = quoted(plainName(name));
  if (bytes === 0) return `${named} is empty.`;
  return whyNotListed(named, media_type, taken) ?? whyNotThisLarge(named, bytes, taken);
}

/** Undefined for files that fit one message. */
export function whyTooMuch(bytes: readonly number[], { max_files, max_message_bytes }: TakenFiles): string | undefined {
  if (bytes.length > max_files) return `A message has at most ${max_files} files, and this one has ${bytes.length}.`;
  const sum = bytes.reduce((all, one) => all + one, 0);
  if (sum <= max_message_bytes) return undefined;
  return `The files of a message have at most ${sizeOf(max_message_bytes)} together, and these have ${sizeOf(sum)}.`;
}

function whyNotListed(named: string, media_type: string | undefined, { types }: TakenFiles): string | undefined {
  if (media_type === undefined) return `${named} does not say one media type. ${typesOf(types)}`;
  return isListed(media_type, types) ? undefined : `${named} is ${shortened(media_type)}. ${typesOf(types)}`;
}

function whyNotThisLarge(named: string, bytes: number, { max_bytes }: TakenFiles): string | undefined {
  return bytes <= max_bytes ? undefined : `${named} has ${sizeOf(bytes)}. A file has at most ${sizeOf(max_bytes)}.`;
}

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

const quoted = (name: string) => `"${name}"`;

const shortened = (media_type: string) => (media_type.length <= 100 ? media_type : `${media_type.slice(0, 99)}…`);
