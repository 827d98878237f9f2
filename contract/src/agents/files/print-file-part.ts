// A file as a content part of langchain 1.x, which its packages for OpenAI's and for Anthropic's models take.
import { readFilePart } from './file-part.ts';

export interface NamedFile {
  name?: string | undefined;
  /** As in agent.yaml. */
  media_type: string;
  base64: string;
}

export function printFilePart({ name, media_type, base64 }: NamedFile): Record<string, unknown> {
  const [kind = ''] = media_type.split('/', 1);
  const type = ['image', 'audio', 'video'].includes(kind) ? kind : 'file';
  return { type, mime_type: media_type, base64, ...(name !== undefined && { extras: { filename: name } }) };
}

/** A file of any form that is read; any other part as it is. */
export function inLangchainForm(part: Record<string, unknown>): Record<string, unknown> {
  const { name, media_type, base64 } = readFilePart(part) ?? {};
  return media_type === undefined || base64 === undefined ? part : printFilePart({ name, media_type, base64 });
}

/** The content of a message: its text first, if it has one. */
export function contentWith(text: string, files: readonly NamedFile[]): string | Record<string, unknown>[] {
  if (files.length === 0) return text;
  return [...(text.trim() === '' ? [] : [{ type: 'text', text }]), ...files.map(printFilePart)];
}
