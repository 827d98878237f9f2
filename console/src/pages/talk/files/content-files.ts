// Files in a message. Their names, types and data are the words of others: only data of four picture types becomes a picture, and an address is never
// loaded.
import { bytesOf, readFilePart, type FilePart } from '@gantry/contract/agents/files/file-part.ts';

export interface MessageFile {
  name: string;
  /** Undefined: it is not in the message. */
  bytes: number | undefined;
  /** A `data:` address. Undefined: no picture, or not in the message. */
  picture?: string;
}

/** SVG is none of them: it is a document. */
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export function filesIn(content: unknown): MessageFile[] {
  if (!Array.isArray(content)) return [];
  return (content as unknown[]).flatMap((part) => {
    const file = readFilePart(part);
    return file === undefined ? [] : [shown(file)];
  });
}

function shown({ kind, name = kind, media_type, base64 }: FilePart): MessageFile {
  if (base64 === undefined) return { name, bytes: undefined };
  return { name, bytes: bytesOf(base64), ...pictureOf(media_type, base64) };
}

/** Nothing for what is no picture. */
export function pictureOf(media_type: string | undefined, base64: string): Pick<MessageFile, 'picture'> {
  if (media_type === undefined || !pictures.includes(media_type)) return {};
  return { picture: `data:${media_type};base64,${base64}` };
}
