import type { KnowledgeBaseConfig } from '@gantry/project/asset-config/knowledge-base.ts';
import type { Listed } from './source.ts';

/** The documents that stand in the config itself. */
export function written({ documents }: KnowledgeBaseConfig): Listed[] {
  return documents.flatMap(({ title, text, readers }, n): Listed[] => {
    if (text === undefined) return [];
    const path = title ?? `document ${n + 1}`;
    const read = async () => await Promise.resolve(Buffer.from(text));
    return [{ path, title: path, media_type: 'text/markdown', read, ...(readers !== undefined && { readers }) }];
  });
}
