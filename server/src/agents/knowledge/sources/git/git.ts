// The files of one commit of a Git repository. Must never happen: a repository that cannot be read looks like one without documents, or a hostile one ends the service.
import type { KnowledgeBaseConfig } from '@gantry/project/asset-config/knowledge-base.ts';
import { most_source_bytes, tooLargeSource } from '../limits.ts';
import { listedPath } from '../listed-path.ts';
import { markOf } from '../mark.ts';
import { mediaTypeOf } from '../media-type.ts';
import { sourceFailed } from '../source-failed.ts';
import { DocumentUnreadable, type Listed, type SourceContext } from '../source.ts';
import type { GitEntry } from './messages.ts';
import { openRepository, type Repository } from './repository.ts';

/** A document can be read until the next one is listed. */
export async function* gitFiles({ git }: KnowledgeBaseConfig, context: SourceContext): AsyncGenerator<Listed> {
  if (git === undefined) return;
  const repository = await openRepository(git, context).catch(sourceFailed(`The Git repository ${git.repository}`));
  try {
    await context.onCommit(repository.commit);
    const meter = { bytes: 0 };
    for (const entry of repository.entries) yield listed(entry, repository, meter);
  } finally {
    await repository.close();
  }
}

function listed({ path, oid, problem }: GitEntry, repository: Repository, meter: { bytes: number }): Listed {
  const named = listedPath(path);
  if ('problem' in named) return named;
  if (problem !== undefined) return { path, problem };
  const read = async () => {
    const bytes = await repository.read(oid);
    meter.bytes += bytes.length;
    if (meter.bytes > most_source_bytes) throw new DocumentUnreadable(tooLargeSource);
    return bytes;
  };
  return { path, media_type: mediaTypeOf(path), mark: markOf('git', oid), read };
}
