// Agents in containers that call their subagents in A2A: whom a call is for, what each call needs, and what a hostile agent can try.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { request as requestByTls } from 'node:https';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints } from '@gantry/contract/endpoints.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { callAgent } from '../call-agent.ts';
import { databaseOf } from '../database-of.ts';
import type { Installation } from '../installation.ts';
import { crewai, runPython } from '../run-python.ts';
import { agentYaml, requirements, writeProject } from '../write-project.ts';
import { sharedInstallation } from './shared-installation.ts';

const agents = join(import.meta.dirname, '../agents');
let gantry: Installation;

beforeAll(async () => {
  gantry = await sharedInstallation('staff');
  await gantry.must('svc team create bosses');
  await gantry.person('sam');
  await gantry.person('zoe');
  // Sam may call the agents of bosses, and none of staff.
  await gantry.must('svc team add bosses user:sam@example.com --role viewer');
  await agent('echo', { as: 'member', team: 'staff' });
  await agent('other', { as: 'member', team: 'staff' });
  await agent('boss', { subagents: ['echo'] });
  await gantry.must('svc acl grant --asset agents/echo --principal agent:boss --actions use');
  // It reaches nothing but the service.
  await agent('chief', { subagents: ['boss'], more: '  egress: []\n' });
});

interface Written {
  as?: string;
  team?: string;
  version?: string;
  subagents?: string[];
  /** More lines of `deploy`. */
  more?: string;
}

async function agent(
  name: string,
  { as = 'boss', team = 'bosses', version = '1.0.0', subagents = [], more = '' }: Written = {},
): Promise<string> {
  const named = subagents.length === 0 ? '' : `subagents: [${subagents.map((one) => `agents/${one}`).join(', ')}]\n`;
  const yaml = agentYaml(
    name,
    `access: {visibility: team}\n${named}deploy:\n  env_vars: {NAME: ${name}}\n${more}`,
    team,
  );
  await writeProject(gantry, name, {
    'agent.py': await readFile(join(agents, `${as}.py`), 'utf8'),
    'agent.yaml': yaml.replace('1.0.0', version),
    'requirements.txt': `${requirements}a2a-sdk==1.3.0\n`,
  });
  return (await gantry.must('svc deploy', { in: name })).output;
}

async function tell(name: string, text: string, { as = 'sam' } = {}): Promise<string> {
  const { json } = await callAgent(`${gantry.url}/agents/${name}`, await gantry.token(as)).ask({ text });
  const answer = json.output?.['answer'];
  return typeof answer === 'string' ? answer : `${json.code}: ${json.detail}`;
}

interface Call {
  id: string;
  agent: string;
  caller: string;
  via: string | null;
  root_run_id: string | null;
}

/** The stored calls of an agent, the newest first. */
async function callsOf(name: string): Promise<Call[]> {
  const db = await databaseOf(gantry);
  const rows = await db.all<Call>(sql`
    select i.id, a.name as agent, coalesce((select u.email from app_user u where u.id = i.caller_id), i.caller_id::text) as caller,
      (select v.name from asset v where v.id = i.via) as via, i.root_run_id
    from invocation i join asset a on a.id = i.agent_id where a.name = ${name} order by i.created_at desc`);
  await db.close();
  return rows;
}

test('an agent calls its subagent for its caller, who needs no permission on it', async () => {
  expect(await tell('boss', 'ask echo: hi')).toBe('boss heard echo(hi)');
  expect(await tell('echo', 'hi')).toContain('not_found');
  const [call] = await callsOf('echo');
  expect(call).toMatchObject({ caller: 'sam@example.com', via: 'boss' });
});

test('a chain of agents keeps its first caller and its first run', async () => {
  expect(await tell('chief', 'ask boss: ask echo: hi')).toContain('echo(hi)');
  const [[echo], [boss]] = await Promise.all([callsOf('echo'), callsOf('boss')]);
  expect(echo).toMatchObject({ caller: 'sam@example.com', via: 'boss' });
  expect(boss).toMatchObject({ caller: 'sam@example.com', via: 'chief', root_run_id: echo?.root_run_id });
});

test('a member of an orchestration calls its subagent within the run', async () => {
  const folder = join(gantry.directory, 'flow');
  await mkdir(folder);
  const yaml =
    'name: flow\nversion: 1.0.0\nteam: bosses\nstrategy: sequential\nagents:\n  boss: {ref: agents/boss, output: /answer}\n';
  await writeFile(join(folder, 'orchestration.yaml'), yaml);
  await gantry.must('svc orchestration deploy flow');
  const { stdout } = await gantry.must('svc orchestration run flow "ask echo: hi" --json', { as: 'sam' });
  const { run_id, output } = JSON.parse(stdout) as { run_id: string; output: { text: string } };
  expect(output.text).toBe('boss heard echo(hi)');
  expect((await callsOf('echo'))[0]).toMatchObject({ caller: 'sam@example.com', via: 'boss', root_run_id: run_id });
});

test('an agent that is no subagent, and one without a grant, are refused', async () => {
  expect(await tell('boss', 'post other')).toBe('404 not_found');
  const said = await agent('stray', { subagents: ['echo'] });
  expect(said).toContain('svc acl grant --asset agents/echo --principal agent:stray --actions use');
  expect(await tell('stray', 'post echo')).toBe('403 forbidden');
});

test('a streamed run calls its subagent too', async () => {
  const response = await fetch(`${gantry.url}/agents/boss/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await gantry.token('sam')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: { text: 'post echo' } }),
  });
  expect(await response.text()).toContain('200 answered');
  // No run is open after its end.
  await expect
    .poll(async () => (await callsOf('boss')).filter(({ via }) => via === null), { timeout: 20_000 })
    .toEqual([]);
});

test('a loop is refused', async () => {
  await agent('ping');
  await agent('pong', { subagents: ['ping'] });
  await agent('ping', { version: '1.0.1', subagents: ['pong'] });
  expect(await tell('ping', 'ask pong: post ping')).toBe('ping heard 409 call_loop');
});

test('a run makes fifty calls, and no more', async () => {
  const said = (await tell('boss', 'many echo 51')).split(', ');
  expect(said.slice(0, 50)).toEqual(Array.from({ length: 50 }, () => '200 answered'));
  expect(said.slice(50)).toEqual(['422 too_many_calls']);
});

interface Known {
  url: string;
  key: string;
  token: string;
}

async function reveal(name: string): Promise<Known> {
  const [url = '', key = '', token = ''] = (await tell(name, 'reveal')).split(' ');
  return { url, key, token };
}

test("crewai's client asks a subagent by its address alone: the card names no credential, and the container adds it", async () => {
  const { url, key } = await reveal('boss');
  // In place of the container: it adds the key to each request.
  const forward = url.startsWith('https:') ? requestByTls : request;
  const container = createServer((asked, response) => {
    const headers = { ...asked.headers, authorization: `Bearer ${key}` };
    const passed = forward(url + String(asked.url), { method: asked.method, headers }, (answer) => {
      const { 'content-length': _, ...more } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, more);
      if (asked.url?.endsWith('agent-card.json') !== true) answer.pipe(response);
      // A door with a name of its own is named there. This client is to come through here.
      else void text(answer).then((card) => response.end(card.replaceAll(url, `http://${asked.headers.host}`)));
    });
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => container.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = container.address() as AddressInfo; // it listens on TCP
    const { raw } = await runPython([crewai], 'a2a_crew.py', [`http://127.0.0.1:${port}/agents/echo`]);
    expect(raw).toContain('echo(hi)');
  } finally {
    container.close();
  }
});

describe('a hostile agent', () => {
  async function post(
    { url, key, token }: Pick<Known, 'url' | 'key'> & { token?: string },
    { path = '/agents/echo/a2a/message:send', text = 'hi' } = {},
  ): Promise<string> {
    const part = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'a2a-version': '1.0',
        ...(token !== undefined && { 'x-svc-run': token }),
      },
      body: JSON.stringify({ message: part }),
    });
    const said = (await response.json()) as { code?: string };
    return `${response.status} ${said.code ?? 'answered'}`;
  }

  test('a forged, a replayed and a foreign run token are refused', async () => {
    const [known, foreign] = [await reveal('boss'), await reveal('chief')];
    expect(await post(known)).toBe('403 run_refused');
    expect(await post({ ...known, token: `${known.token.slice(0, -4)}AAAA` })).toBe('403 run_refused');
    expect(await post({ ...known, token: foreign.token })).toBe('403 run_refused');
    const running = tell('boss', 'hold 4');
    await expect.poll(async () => (await callsOf('boss'))[0]?.via, { timeout: 20_000 }).toBeNull();
    // A run is open now, and it is not the run of this token.
    expect(await post(known)).toBe('403 run_refused');
    expect(await running).toBe('held');
  });

  test('without a token it calls for itself, at most four calls at once', async () => {
    const { url, key } = await reveal('boss');
    expect(await post({ url, key })).toBe('200 answered');
    const [call] = await callsOf('echo');
    expect(call).toMatchObject({ via: 'boss', root_run_id: call?.id });
    expect(call?.caller).not.toContain('@');
    const all = await Promise.all(Array.from({ length: 6 }, async () => await post({ url, key }, { text: 'slow 3' })));
    expect(all.filter((one) => one === '200 answered')).toHaveLength(4);
    expect(all.filter((one) => one === '429 too_many_requests')).toHaveLength(2);
  });

  test('its key works for its subagents and its models alone, and a session of a person does not work there', async () => {
    const { url, key } = await reveal('boss');
    expect(await post({ url, key: await gantry.token('admin') })).toBe('401 invalid_api_key');
    expect(await post({ url: gantry.url, key })).toBe('401 unauthenticated');
    const atTheDoor = new Set(['a2a', 'gateway', 'gemini', 'mcp', 'memory', 'ollama', 'probes', 'prompts']);
    const others = Object.values<Endpoint>(endpoints).filter(({ surface = 'api' }) => !atTheDoor.has(surface));
    expect(others.length).toBeGreaterThan(100);
    for (const { method, path } of others) {
      const headers = { authorization: `Bearer ${key}` };
      const { status } = await fetch(url + path.replaceAll(/\{\w+\}/g, 'echo'), { method, headers });
      expect(`${method} ${path} ${status}`).toBe(`${method} ${path} 404`);
    }
    // The memory is of a run, so the key alone reaches none.
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(`${url}/memory/state`, { method, headers: { authorization: `Bearer ${key}` } });
      expect([response.status, await response.json()]).toMatchObject([403, { code: 'run_refused' }]);
    }
  });

  test('the key of a deleted agent works no longer', async () => {
    const { url, key } = await reveal('stray');
    await gantry.must('svc delete stray --yes');
    expect(await post({ url, key })).toBe('401 invalid_api_key');
  });
});

test('a caller who loses the permission on the first agent is refused in the middle of its run', async () => {
  await gantry.must('svc acl grant --asset agents/boss --principal user:zoe@example.com --actions read,use');
  const running = tell('boss', 'insist echo', { as: 'zoe' });
  await expect.poll(async () => (await callsOf('boss'))[0]?.caller, { timeout: 20_000 }).toBe('zoe@example.com');
  await gantry.must('svc acl revoke --asset agents/boss --principal user:zoe@example.com');
  expect(await running).toMatch(/^(403 forbidden|404 not_found)$/);
});
