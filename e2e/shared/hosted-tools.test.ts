// An unchanged agent calls public MCP servers that the service runs: packages of their vendors, each in a container beside the agent's.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { callAgent } from '../call-agent.ts';
import { agentYaml, requirements, writeProject } from '../write-project.ts';
import { sharedInstallation, type SharedInstallation } from './shared-installation.ts';

const time = 'pypi:mcp-server-time==2026.10.19';
let gantry: SharedInstallation;

beforeAll(async () => {
  gantry = await sharedInstallation('hosters');
  await gantry.must(`svc registry mcp-server create clock --team hosters --config '{package: "${time}"}'`);
  await writeProject(gantry, 'hosted', {
    'agent.py': await readFile(join(import.meta.dirname, '../agents/tool_user.py'), 'utf8'),
    'agent.yaml': agentYaml('hosted', 'mcp_servers:\n  - mcp/clock\n', 'hosters'),
    'requirements.txt': `${requirements}langchain-mcp-adapters==0.3.2\n`,
  });
});

const ask = async (tool: string, given: object = {}, as?: string) => {
  const { json } = await callAgent(`${gantry.url}/agents/hosted`, await gantry.token(as)).ask({ tool, arguments: given });
  return json.output?.['answer'];
};

test('an agent calls a server of PyPI, whose image is pinned with its tools', async () => {
  const pinned = await gantry.must('svc mcp pin clock --yes');
  expect(pinned.output).toMatch(/Agents may call 2 tools of mcp-servers\/clock@1\.0\.0/);
  await gantry.must('svc deploy', { in: 'hosted' });
  expect(await ask('list')).toBe('clock__convert_time clock__get_current_time');
  expect(await ask('clock__get_current_time', { timezone: 'Europe/Zurich' })).toContain('Europe/Zurich');
  const shown = await gantry.must('svc mcp tools clock');
  expect(shown.output).toContain(time);
  expect(shown.output).toMatch(/1 running/);
});
