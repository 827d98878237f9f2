// An unchanged agent in a container with langchain's client of the protocol, and a public server that its vendor publishes.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpServerOfTest, textTool } from '../../server/src/testing/servers/mcp-server.ts';
import { callAgent } from '../call-agent.ts';
import { environment } from '../config.ts';
import { agentYaml, requirements, writeProject } from '../write-project.ts';
import { sharedInstallation, type SharedInstallation } from './shared-installation.ts';

const root = join(import.meta.dirname, '../..');
let gantry: SharedInstallation;
let server: ChildProcess;

beforeAll(async () => {
  gantry = await sharedInstallation('toolers');
  server = spawn(
    'node',
    [join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'streamableHttp'],
    { env: { ...environment(), PORT: String(gantry.mcp_port) }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (text: Buffer) => (String(text).includes('listening') ? resolve() : undefined));
    server.once('exit', () => reject(new Error('the public server has ended')));
  });
  await gantry.must(
    `svc registry mcp-server create everything --team toolers --config '{transport: streamable-http, url: "http://127.0.0.1:${gantry.mcp_port}/mcp"}'`,
  );
});
afterAll(async () => {
  if (server === undefined || server.exitCode !== null) return;
  server.kill();
  await once(server, 'exit');
});

const ask = async (tool: string, given: object = {}) => {
  const { json } = await callAgent(`${gantry.url}/agents/handy`, await gantry.token()).ask({ tool, arguments: given });
  return json.output?.['answer'];
};

test('an agent calls the tools of a public server, and no tool before a person has pinned them', async () => {
  await writeProject(gantry, 'handy', {
    'agent.py': await readFile(join(import.meta.dirname, '../agents/tool_user.py'), 'utf8'),
    'agent.yaml': agentYaml('handy', 'mcp_servers:\n  - mcp/everything\n', 'toolers'),
    'requirements.txt': `${requirements}langchain-mcp-adapters==0.3.2\n`,
  });
  const pinned = await gantry.must('svc mcp pin everything --yes');
  expect(pinned.output).toMatch(/Agents may call \d+ tools of mcp-servers\/everything@1\.0\.0/);
  await gantry.must('svc deploy', { in: 'handy' });
  expect(await ask('list')).toContain('everything__echo');
  expect(await ask('everything__echo', { message: 'hello' })).toBe('Echo: hello');
  expect(await ask('everything__get-sum', { a: 2, b: 3 })).toContain('5');
});

test('the trace of the call has the tool, as the service has seen it', async () => {
  // The newest is that of the last call, once it is stored.
  const newest = async () => {
    const { stdout } = await gantry.must('svc trace list handy --json');
    const [trace] = JSON.parse(stdout) as { trace_id: string }[];
    return (await gantry.must(`svc trace show ${trace?.trace_id}`)).output;
  };
  await expect.poll(newest).toContain('execute_tool everything__get-sum');
});

test('the example that acts as its user reads what each person has, and sends whoever is not connected a link', async () => {
  const whose = new Map([
    ['key-of-admin', 'mend the roof'],
    ['key-of-lena', 'feed the cat'],
  ]);
  const keyOf = (headers: IncomingHttpHeaders | undefined) => headers?.authorization?.replace('Bearer ', '') ?? '';
  const tasks = await mcpServerOfTest(
    [textTool('list_tasks', 'The tasks of the person', () => whose.get(keyOf(tasks.seen.at(-1))) ?? 'nobody')],
    { port: gantry.second_mcp_port },
  );
  try {
    await gantry.must(
      `svc registry mcp-server create tasks --team toolers --config '{transport: streamable-http, url: "${tasks.url}", as: user}'`,
    );
    await gantry.person('lena');
    await gantry.must('svc team add toolers user:lena@example.com --role viewer');
    await gantry.must('printf key-of-admin | svc connect tasks --key');
    await gantry.must('svc mcp pin tasks --yes');
    await gantry.must('svc init secretary --template as-user --team toolers');
    await gantry.must('svc deploy', { in: 'secretary' });
    const say = async (as?: string) =>
      (await gantry.must("svc invoke secretary '{}'", { ...(as !== undefined && { as }) })).output;
    // The connection is there, and the person has not yet let this agent act.
    expect(await say()).toMatch(/connect|inbox/);
    await allow();
    expect(await say()).toContain('Your tasks: mend the roof');
    expect(await say('lena')).toContain('http');
    await gantry.must('printf key-of-lena | svc connect tasks --key', { as: 'lena' });
    await allow('lena');
    expect(await say('lena')).toContain('Your tasks: feed the cat');
  } finally {
    await tasks.close();
  }
});

/** As the inbox of the person asks. */
async function allow(as?: string) {
  const who = as === undefined ? {} : { as };
  const { stdout } = await gantry.must('svc connections --json', who);
  const { asks } = JSON.parse(stdout) as { asks: { id: string }[] };
  for (const { id } of asks) await gantry.must(`svc connections allow ${id}`, who);
}
