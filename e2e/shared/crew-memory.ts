// Flows and crews that are written without a place for what they remember. The service keeps it, and it outlasts every container.
// Run in crewai.test.ts, whose team has the dependency image of crewai.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { callAgent, type Agent } from '../call-agent.ts';
import { agentYaml, writeProject } from '../write-project.ts';
import type { SharedInstallation } from './shared-installation.ts';

interface Team {
  gantry: () => SharedInstallation;
  requirements: () => Promise<string>;
}

export function crewMemoryTests({ gantry: of, requirements }: Team): void {
  let gantry: SharedInstallation;
  let flow: string;
  let emil: (agent: string) => Agent;
  let fay: (agent: string) => Agent;

  const deploy = async (name: string, code: string, version = '1.0.0') => {
    await writeProject(gantry, name, {
      'agent.yaml': agentYaml(name, '', gantry.team).replace('langgraph', 'crewai').replace('1.0.0', version),
      'agent.py': code,
      'requirements.txt': await requirements(),
    });
    return await gantry.must('svc deploy', { in: name });
  };
  const codeOf = async (name: string) => await readFile(join(import.meta.dirname, '../agents', name), 'utf8');
  const person = async (name: string) => {
    await gantry.person(name);
    await gantry.must(`svc team add ${gantry.team} user:${name}@example.com --role viewer`);
    const token = await gantry.token(name);
    return (agent: string) => callAgent(`${gantry.url}/agents/${agent}`, token);
  };
  const say = async (agent: Agent, value: string, thread_id: string) =>
    (await agent.ask({ do: 'say', value }, { thread_id })).json.output?.result;

  beforeAll(async () => {
    gantry = of();
    flow = await codeOf('keeping_flow.py');
    [emil, fay] = [await person('emil'), await person('fay')];
  });

  describe('a flow with @persist', () => {
    beforeAll(async () => {
      const { output } = await deploy('keeping', flow);
      expect(output).toContain('the service keeps the threads of the agent');
    }, 300_000);

    test('goes on with its thread after a restart, and two callers have two states', async () => {
      expect(await say(emil('keeping'), 'tea', 'breakfast')).toEqual(['tea']);
      expect(await say(fay('keeping'), 'coffee', 'breakfast')).toEqual(['coffee']);
      await gantry.must('svc restart keeping');
      expect(await say(emil('keeping'), 'toast', 'breakfast')).toEqual(['tea', 'toast']);
      expect((await emil('keeping').ask({ value: 'alone' })).json.output?.result).toEqual(['alone']);
    }, 180_000);

    test('asks a person, whom `svc answer` lets answer to the next version', async () => {
      const asked = await gantry.type(`svc invoke keeping '{"do": "ask", "value": "tea"}' --thread question`);
      expect(asked.output).toContain('status: interrupted');
      expect((await gantry.must('svc inbox')).stdout).toContain('Is this right?');
      await deploy('keeping', flow.replace('"first"', '"second"'), '1.1.0');
      const answered = await gantry.must('svc answer keeping question yes');
      expect(answered.stdout).toContain('second heard yes about tea');
      expect((await gantry.type('svc answer keeping question yes')).output).toContain('waits for nobody');
      expect(await say(emil('keeping'), 'jam', 'breakfast')).toEqual(['tea', 'toast', 'jam']);
      expect((await gantry.must('svc threads show keeping question')).stdout).toContain('"tea"');
    }, 240_000);
  });

  test('a crew with memory=True remembers for its caller, and for nobody else', async () => {
    const { output } = await deploy('remembering', await codeOf('remembering_crew.py'));
    expect(output).toContain('the service keeps the memories of the agent');
    const told = async (agent: Agent, topic: string) => {
      const { status, text, json } = await agent.ask({ topic });
      expect(status, text).toBe(200);
      return String(json.output?.['raw']);
    };
    await told(emil('remembering'), 'emerald teapots');
    await gantry.must('svc restart remembering');
    expect(await told(emil('remembering'), 'teapots')).toContain('emerald');
    expect(await told(fay('remembering'), 'teapots')).not.toContain('emerald');
  }, 240_000);
}
