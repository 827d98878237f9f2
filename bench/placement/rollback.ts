import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bumpVersion } from '@gantry/project/agent-yaml.ts';
import { deployProject, drained } from '../service/deploy-project.ts';
import type { Row } from '../report/row.ts';
import { repeat } from '../load/sampling.ts';
import { stepEnded, type Placed } from './placed.ts';

const name = 'returning';

/** Three versions are deployed: one serves, one is warm, and one is stopped. */
export async function measureRollback(
  { installation, client }: Placed,
  { rounds }: { rounds: number },
): Promise<Row[]> {
  const project = await installation.project('langgraph-greeter', name, { name });
  const versions: string[] = [];
  for (let n = 0; n < 3; n++) {
    const file = join(project, 'agent.yaml');
    const bumped = bumpVersion(await readFile(file, 'utf8'), 'patch');
    if (bumped === undefined) throw new Error('the project to measure with has no version');
    await writeFile(file, bumped.text);
    await appendFile(join(project, 'agent.py'), `# version ${n}\n`);
    await deployProject(client, project);
    versions.push(bumped.version);
  }
  const goBack = async (body: { to?: string }) => {
    const began = performance.now();
    const { id } = await client.call('agents.rollback', { params: { name }, body });
    return (await stepEnded(client, id, 'register', began)) / 1000;
  };
  const warm = await repeat(2 * rounds, async () => await goBack({}));
  // An even number of warm ones: the last version serves, and the one before it is warm.
  const cold = await repeat(rounds, async (round) => {
    const seconds = await goBack({ to: versions[round % versions.length] ?? '' });
    await drained(client, name);
    return seconds;
  });
  const how = 'langgraph example, from the request to the switched route';
  return [
    {
      measure: 'rollback to the warm revision',
      unit: 's',
      at_most: 1,
      samples: warm,
      how: `${how}, ${warm.length} times`,
    },
    {
      measure: 'rollback to a stopped revision',
      unit: 's',
      at_most: 3,
      samples: cold,
      how: `${how}, ${cold.length} times; includes the start of a container`,
    },
  ];
}
