// A file as a content part of langchain 1.x, which its packages for OpenAI's and for Anthropic's models take.

export interface NamedFile {
  name: string;
  /** As in agent.yaml. */
  media_type: string;
  base64: string;
}

export function printFilePart({ name, media_type, base64 }: NamedFile): Record<string, unknown> {
  const [kind = ''] = media_type.split('/', 1);
  const type = ['image', 'audio', 'video'].includes(kind) ? kind : 'file';
  return { type, mime_type: media_type, base64, extras: { filename: name } };
}

/** The content of a message: its text first, if it has one. */
export function contentWith(text: string, files: readonly NamedFile[]): string | Record<string, unknown>[] {
  if (files.length === 0) return text;
  return [...(text.trim() === '' ? [] : [{ type: 'text', text }]), ...files.map(printFilePart)];
}
