import type { KnowledgeBaseConfig } from '@gantry/project/asset-config/knowledge-base.ts';
import { addresses } from './address.ts';
import { bucketObjects } from './bucket/bucket.ts';
import { gitFiles } from './git/git.ts';
import type { Listed, SourceContext } from './source.ts';
import { uploaded } from './uploaded.ts';
import { written } from './written.ts';

/** All sources of the base, one after the other. Throws when a source cannot be listed. */
export async function* documentsOf(config: KnowledgeBaseConfig, context: SourceContext): AsyncGenerator<Listed> {
  yield* written(config);
  yield* uploaded(config, context);
  yield* addresses(config, context);
  yield* bucketObjects(config, context);
  yield* gitFiles(config, context);
}
