// An unchanged agent calls public MCP servers that the service runs: packages of their vendors, each in a container beside the agent's.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { callAgent } from '../call-agent.ts';
import { agentYaml, requirements, writeProject } from '../write-project.ts';
import { sharedInstallation, type SharedInstallation } from './shared-installation.ts';

const clock = 'pypi:mcp-server-time==2026.10.19';
const memory = 'npm:@modelcontextprotocol/server-memory@2026.8.31';
let gantry: SharedInstallation;

beforeAll(async () => {
  gantry = await sharedInstallation('hosters');
  const create = async (name: string, config: object) =>
    await gantry.must(`svc registry mcp-server create ${name} --team hosters --config '${JSON.stringify(config)}'`);
  await create('clock', { package: clock });
  await create('notes', { package: memory, env_vars: { MEMORY_FILE_PATH: '/tmp/notes.jsonl' } });
  await writeProject(gantry, 'hosted', {
    'agent.py': await readFile(join(import.meta.dirname, '../agents/tool_user.py'), 'utf8'),
    'agent.yaml': agentYaml('hosted', 'mcp_servers:\n  - mcp/clock\n  - mcp/notes\n', 'hosters'),
    'requirements.txt': `${requirements}langchain-mcp-adapters==0.3.2\n`,
  });
  await gantry.person('nora');
  await gantry.must('svc team add hosters user:nora@example.com --role viewer');
});

const ask = async (tool: string, given: object = {}, as?: string) => {
  const { json } = await callAgent(`${gantry.url}/agents/hosted`, await gantry.token(as)).ask({
    tool,
    arguments: given,
  });
  return json.output?.['answer'];
};

test('an agent calls servers of PyPI and npm, whose images are pinned with their tools', async () => {
  const pinned = await gantry.must('svc mcp pin clock --yes');
  expect(pinned.output).toMatch(/Agents may call 2 tools of mcp-servers\/clock@1\.0\.0/);
  await gantry.must('svc mcp pin notes --yes');
  await gantry.must('svc deploy', { in: 'hosted' });
  expect(await ask('list')).toContain('clock__convert_time clock__get_current_time notes__');
  expect(await ask('clock__get_current_time', { timezone: 'Europe/Zurich' })).toContain('Europe/Zurich');
  const shown = await gantry.must('svc mcp tools clock');
  expect(shown.output).toContain(clock);
  expect(shown.output).toMatch(/1 running/);
});

test('two callers of an agent do not see what the other has left in a server', async () => {
  const fact = { entities: [{ name: 'plan', entityType: 'secret', observations: ['sell the house'] }] };
  expect(await ask('notes__create_entities', fact)).toContain('sell the house');
  expect(await ask('notes__read_graph')).toContain('sell the house');
  expect(await ask('notes__read_graph', {}, 'nora')).not.toContain('sell the house');
});
