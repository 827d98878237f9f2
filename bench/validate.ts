// `svc validate`: the check itself, and the whole command.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkProject } from '@gantry/project/agent-project.ts';
import { parseAgentYaml } from '@gantry/project/agent-yaml.ts';
import type { Row } from './report/row.ts';
import { interleaved, repeat, timed } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const rounds = 5;
const checks = 200;
const typed_times = 4;
const names = ['agent.yaml', 'agent.py', 'requirements.txt'];

export async function measure({ installation }: Measured): Promise<Row[]> {
  const example = resolve(import.meta.dirname, '../examples/langgraph-greeter');
  const files = new Map<string, Uint8Array>();
  for (const name of names) files.set(name, await readFile(join(example, name)));
  const yaml = new TextDecoder().decode(files.get('agent.yaml'));
  await installation.project('langgraph-greeter', 'validated');
  const { file, project, typed } = await interleaved(rounds, {
    file: async () => await repeat(checks, async () => await timed(async () => void parseAgentYaml(yaml))),
    project: async () => await repeat(checks, async () => await timed(async () => void checkProject(files))),
    typed: async () =>
      await repeat(
        typed_times,
        async () => await timed(async () => await installation.must('svc validate', { in: 'validated' })),
      ),
  });
  return [
    {
      measure: 'svc validate in process, agent.yaml',
      unit: 'ms',
      at_most: 1,
      samples: file,
      how: `${rounds} rounds of ${checks}`,
    },
    {
      measure: 'svc validate in process, a whole project',
      unit: 'ms',
      at_most: names.length,
      samples: project,
      how: `${names.length} files, 1 ms each`,
    },
    {
      measure: 'svc validate as a command',
      unit: 'ms',
      at_most: 200,
      samples: typed,
      how: `from Enter to the prompt, ${rounds * typed_times} times, in turns with the above`,
    },
  ];
}
