import type { KnowledgeBaseConfig } from '@gantry/project/asset-config/knowledge-base.ts';
import { mediaTypeOf } from './media-type.ts';
import { DocumentUnreadable, type Listed, type SourceContext } from './source.ts';

/** The files that people sent to the base. */
export async function* uploaded({ uploads }: KnowledgeBaseConfig, context: SourceContext): AsyncGenerator<Listed> {
  if (!uploads) return;
  for (const { path, sha256 } of await context.uploads.list())
    yield { path, media_type: mediaTypeOf(path), mark: sha256, read: async () => await readUpload(context, sha256) };
}

async function readUpload({ uploads }: SourceContext, sha256: string): Promise<Uint8Array> {
  const bytes = await uploads.read(sha256);
  if (bytes === undefined) throw new DocumentUnreadable('it was deleted or replaced during the refresh');
  return bytes;
}
