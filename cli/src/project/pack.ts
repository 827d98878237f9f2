import { Pack } from 'tar';
import { largest, megabytes, projectLimits } from '@gantry/project/agent-project/limits.ts';
import { CliRefusal } from '../refusal.ts';
import type { LocalProject } from './read-project.ts';

/** The project as a gzipped tar. The same files give the same bytes: sorted, without this machine's owners, times or modes. */
export async function pack(project: LocalProject): Promise<Uint8Array> {
  // Pack takes names literally; `tar.create` would open a name with a leading @ as an archive.
  const archive = new Pack({
    cwd: project.directory,
    gzip: true,
    portable: true,
    noMtime: true,
    noDirRecurse: true,
    strict: true,
  });
  for (const { path } of project.list()) archive.add(path);
  archive.end();
  const packed = await archive.concat();
  if (packed.length > projectLimits.packed_bytes) {
    throw new CliRefusal(
      'archive_too_large',
      `The packed project has ${megabytes(packed.length)}; at most ${megabytes(projectLimits.packed_bytes)} are accepted`,
      {
        hint: `${largest(project.list())} Move data and models out of the project folder: an agent fetches them while it runs, or finds them in a knowledge base.`,
      },
    );
  }
  return packed;
}
