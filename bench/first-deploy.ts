// The first deploy of a project: nothing is cached; in the second row its packages are.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownedBy } from '../server/src/assets/docker/labels.ts';
import { deployProject } from './service/deploy-project.ts';
import type { Row } from './report/row.ts';
import { repeat } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const rounds = 3;

export async function measure({ installation, client, engine }: Measured): Promise<Row[]> {
  const first = async (name: string) => {
    const project = await installation.project('langgraph-greeter', name, { name });
    // A new text of the same requirements, so that its lock is resolved again.
    await appendFile(join(project, 'requirements.txt'), `# ${name}\n`);
    return (await deployProject(client, project)).switched_s;
  };
  const very_first = await first('first');
  const cached = await repeat(rounds, async (round) => {
    await forgetDependencyImages();
    return await first(`cold-${round}`);
  });
  return [
    {
      measure: 'cold first deploy, packages cached',
      unit: 's',
      at_most: 15,
      samples: cached,
      how: `langgraph example, resolved, installed and committed anew, ${rounds} times`,
    },
    {
      measure: 'very first deploy of an installation',
      unit: 's',
      samples: [very_first],
      how: 'nothing cached: also fetches uv and every package from the index',
    },
  ];

  async function forgetDependencyImages(): Promise<void> {
    const images = await engine.docker.listImages({ filters: ownedBy(engine, 'dependencies') });
    for (const tag of images.flatMap(({ RepoTags }) => RepoTags ?? [])) await engine.docker.getImage(tag).remove();
  }
}
