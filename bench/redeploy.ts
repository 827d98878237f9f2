// A redeploy after one changed line of the agent: the lock and the dependency image exist.
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bumpVersion } from '@gantry/project/agent-yaml.ts';
import { deployProject, drained } from './service/deploy-project.ts';
import type { Row } from './report/row.ts';
import { repeat, timed } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const rounds = 10;

export async function measure({ installation, client }: Measured): Promise<Row[]> {
  const project = await installation.project('langgraph-greeter', 'redeployed', { name: 'redeployed' });
  await deployProject(client, project);
  const times = await repeat(rounds, async (round) => {
    await changeCode(project, `# round ${round}`);
    const deployed = await deployProject(client, project);
    await appendFile(join(project, 'agent.py'), `# round ${round}, typed\n`);
    const typed_s =
      (await timed(async () => await installation.must('svc deploy --bump patch', { in: 'redeployed' }))) / 1000;
    await drained(client, 'redeployed');
    return { deployed, typed_s };
  });
  const of = (pick: (one: (typeof times)[number]) => number) => times.map(pick);
  const how = `langgraph example, one line changed, ${rounds} times`;
  return [
    {
      measure: 'code-only redeploy, from push to switched',
      unit: 's',
      at_most: 4,
      samples: of(({ deployed }) => deployed.switched_s),
      how,
    },
    {
      measure: '… of it the push',
      unit: 's',
      samples: of(({ deployed }) => deployed.push_s),
      how: 'its lock is reused',
    },
    {
      measure: '… of it the build',
      unit: 's',
      at_most: 1.5,
      samples: of(({ deployed }) => deployed.step_s('build')),
      how: 'its dependency image is reused',
    },
    {
      measure: '… of it container start to ready',
      unit: 's',
      at_most: 2.5,
      samples: of(({ deployed }) => deployed.step_s('start')),
      how: 'start, /health, /ready twice',
    },
    {
      measure: 'the same typed: svc deploy --bump patch',
      unit: 's',
      samples: of(({ typed_s }) => typed_s),
      how: 'until the prompt is back, in turns with the above',
    },
  ];
}

async function changeCode(project: string, line: string): Promise<void> {
  await appendFile(join(project, 'agent.py'), `${line}\n`);
  const file = join(project, 'agent.yaml');
  const bumped = bumpVersion(await readFile(file, 'utf8'), 'patch');
  if (bumped === undefined) throw new Error('the project to measure with has no version');
  await writeFile(file, bumped.text);
}
