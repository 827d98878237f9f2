// Step 4: the image of the version. Its dependencies are installed in a sandbox, and the user's files are copied.
import { findVersionById } from '../../../assets/registry/find.ts';
import type { BuiltImage } from '../build/build-image.ts';
import type { DeployRun } from '../deploy-run.ts';
import type { DeployParts } from '../parts.ts';
import { loadDecided } from './1-validate.ts';
import { teamOf } from './team-of.ts';

export async function build(parts: DeployParts, run: DeployRun, signal: AbortSignal): Promise<BuiltImage> {
  const content = await loadDecided(parts.db, run.input);
  const { untraced } = content.dependencies;
  if (untraced !== undefined) run.notice(`not traced: ${untraced}`);
  const version = await findVersionById(parts.db, run.input.version_id);
  return await parts.builder.build({
    agent: run.input.agent,
    team_id: (await teamOf(parts, run)).id,
    content,
    created_at: version?.pushed_at ?? '',
    run: { run_id: run.id, fence: run.fence },
    onLog: (line) => run.log(line),
    signal,
  });
}
