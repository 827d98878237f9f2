// Public MCP servers, unmodified: each is created, looked at and pinned with svc, and called by the clients of others.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, StreamableHTTPClientTransport } from '../../server/src/testing/servers/mcp-client.ts';
import { callAgent } from '../call-agent.ts';
import { install, type OwnInstallation } from '../installation.ts';
import { outsidePrograms, type OutsidePrograms } from './outside-programs.ts';
import { runPython } from '../run-python.ts';
import { agentYaml, requirements, writeProject } from '../write-project.ts';
import { exceptions, hosted_servers, type PublicServer } from './public-servers.ts';

let outside: OutsidePrograms;
let gantry: OwnInstallation;
beforeAll(async () => {
  outside = await outsidePrograms();
  gantry = await install({ OUTBOUND_PRIVATE_HOSTS: outside.private_hosts.join(), TOOL_SERVERS: '60' });
  await gantry.must('svc team create ml');
  await gantry.person('nora');
  await gantry.must('svc team add ml user:nora@example.com --role viewer');
});
afterAll(async () => {
  await gantry?.stop();
  await outside?.stop();
});

/** In Python 3.11, crewai opens and closes a connection over HTTP in two tasks, so each call of a tool fails there. */
const crewProject = `[project]
name = "crew"
version = "1.0.0"
requires-python = ">=3.13"
dependencies = ["crewai==1.15.30"]
`;

const named = (name: string): PublicServer => {
  const found = [...hosted_servers, ...outside.servers].find((server) => server.name === name);
  if (found === undefined) throw new Error(`${name} is no server of this test`);
  return found;
};
const names = [...hosted_servers.map(({ name }) => name), 'fetch', 'playwright', 'git'];

test.each(names)('%s is pinned, and does its work for a person', async (name) => {
  const { config, calls } = named(name);
  await gantry.must(`svc registry mcp-server create ${name} --team ml --config '${JSON.stringify(config)}'`);
  expect((await gantry.must(`svc mcp look ${name}`)).output).toContain('agents call no tool of it');
  const pinned = await gantry.must(`svc mcp pin ${name} --yes`);
  expect(pinned.output).toMatch(new RegExp(`Agents may call \\d+ tools? of mcp-servers/${name}@1\\.0\\.0`));
  const client = await connected(name);
  try {
    for (const { tool, arguments: given, answer } of calls) {
      const { content, isError } = await client.callTool({ name: tool, arguments: given });
      expect({ isError: isError ?? false, text: textOf(content) }).toEqual({
        isError: false,
        text: expect.stringMatching(answer) as string,
      });
    }
  } finally {
    await client.close();
  }
});

test.each(exceptions)('$name cannot be hosted: $reason', async ({ name, config, says }) => {
  await gantry.must(`svc registry mcp-server create ${name} --team ml --config '${JSON.stringify(config)}'`);
  const looked = await gantry.type(`svc mcp look ${name}`);
  expect(looked).toMatchObject({ code: 1, output: expect.stringContaining(says) as string });
});

test('the official SDK for Python calls all of them', async () => {
  const asked = everyCall().map(({ server, tool, arguments: given }) => [server, tool, given]);
  // As another person, whose programs have nothing from earlier calls.
  const words = [gantry.url, await gantry.token('nora'), JSON.stringify(asked)];
  const { answers } = await runPython(['mcp==2.3.0'], 'mcp_client.py', words);
  expect(answers).toEqual(everyCall().map(({ answer }) => expect.stringMatching(answer) as string));
});

test.each([
  {
    framework: 'langgraph',
    code: 'tool_user.py',
    needs: { 'requirements.txt': `${requirements}langchain-mcp-adapters==0.3.2\n` },
  },
  {
    framework: 'crewai',
    code: 'tool_crew.py',
    needs: { 'requirements.txt': undefined, 'pyproject.toml': crewProject },
  },
])(
  'an unchanged agent of $framework calls all of them',
  async ({ framework, code, needs }) => {
    const name = `${framework}-tools`;
    const mcp_servers = names.map((server) => `  - mcp/${server}\n`).join('');
    await writeProject(gantry, name, {
      'agent.py': await readFile(join(import.meta.dirname, '../agents', code), 'utf8'),
      'agent.yaml': agentYaml(name, `mcp_servers:\n${mcp_servers}`).replace(
        'framework: langgraph',
        `framework: ${framework}`,
      ),
      ...needs,
    });
    // The packages of crewai are a gigabyte, and its Python is obtained first.
    await gantry.must('svc deploy', { in: name, timeout_ms: 1_200_000 });
    const agent = callAgent(`${gantry.url}/agents/${name}`, await gantry.token());
    for (const { server, tool, arguments: given, answer } of everyCall()) {
      const asked =
        framework === 'crewai' ? crewInput(server, tool, given) : { tool: `${server}__${tool}`, arguments: given };
      const { json } = await agent.ask(asked);
      expect({ server, said: JSON.stringify(json.output ?? json) }).toEqual({
        server,
        said: expect.stringMatching(answer) as string,
      });
    }
  },
  1_500_000,
);

/** crewai gives tools names of its own, with other signs between the words. */
const crewInput = (server: string, tool: string, given: object) => ({
  tool: `_${server}_${tool}`.replaceAll('-', '_'),
  arguments: JSON.stringify(given),
});

const everyCall = () => names.flatMap((server) => named(server).calls.map((call) => ({ server, ...call })));

async function connected(server: string): Promise<Client> {
  const client = new Client({ name: 'editor', version: '1.0.0' });
  const headers = { authorization: `Bearer ${await gantry.token()}` };
  const address = new URL(`${gantry.url}/mcp/${server}`);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  return client;
}

const textOf = (content: readonly { type: string; text?: string }[]) => content.map(({ text = '' }) => text).join(' ');
