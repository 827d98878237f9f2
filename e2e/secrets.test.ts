// Secrets from the prompt to the agent. A canary is searched everywhere else; a control value proves that each search finds something.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contains, databaseAsText } from '../server/src/testing/database-as-text.ts';
import { adminOf, serving } from './api.ts';
import { callAgent, type Agent } from './call-agent.ts';
import { databaseOf } from './database-of.ts';
import { engineOf, type Seen } from './engine-of.ts';
import { install, type OwnInstallation } from './installation.ts';
import { atTerminal, key } from './terminal.ts';
import { agentYaml, writeProject } from './write-project.ts';

const run = promisify(execFile);
const prober = await readFile(join(import.meta.dirname, 'agents/prober.py'), 'utf8');
const canary = 'canary "Ω" 8417\r\nsecond canary line 5520';
const control = 'a-control-value-7310';

let gantry: OwnInstallation;
let seen: Seen;
let agent: Agent;

beforeAll(async () => {
  gantry = await install({ GANTRY_TEST_CONTROL: control });
  seen = await engineOf(gantry);
  await gantry.must('svc team create ml');
  for (const [name, role] of [
    ['ada', 'contributor'],
    ['max', 'admin'],
  ])
    await gantry
      .person(String(name))
      .then(async () => await gantry.must(`svc team add ml user:${name}@example.com --role ${role}`));
  await writeProject(gantry, 'holder', {
    'agent.py': `import os\nprint("${control}", os.environ["CRM_TOKEN"], flush=True)\n${prober}`,
    'agent.yaml': agentYaml(
      'holder',
      `deploy:\n  env_vars: {CONTROL: ${control}}\n  secrets: [CRM_TOKEN, TEAM_TOKEN]\n`,
    ),
  });
  agent = callAgent(`${gantry.url}/agents/holder`, await gantry.token());
});
afterAll(async () => await gantry.stop());

/** What the agent has in its environment. */
async function variables(...names: string[]): Promise<unknown> {
  const code = `import os\ndef look():\n    return [os.environ.get(name) for name in ${JSON.stringify(names)}]\n`;
  const { status, text, json } = await agent.ask({ do: 'run python', value: code });
  if (status !== 200) throw new Error(text);
  return json.output?.result;
}

test('a deploy names the missing secret and the command that sets it; then the agent reads exactly the value', async () => {
  await gantry.must(`svc submit --message ${control}`, { as: 'ada', in: 'holder' });
  const refused = await gantry.type('svc deploy', { in: 'holder' });
  expect(refused.output).toContain('CRM_TOKEN is set neither for agents/holder nor for team:ml');
  expect(refused.output).toContain('svc secret set CRM_TOKEN --agent holder');
  expect(refused.code).toBe(1);

  await gantry.must('svc secret set CRM_TOKEN --agent holder', { as: 'ada', stdin: `${canary}\n` });
  expect((await gantry.type('svc secret set TEAM_TOKEN --team ml', { as: 'ada', stdin: 'x' })).output).toContain(
    'forbidden',
  );
  const at = await atTerminal(gantry, 'svc secret set TEAM_TOKEN --team ml', { as: 'max' });
  await at.shows('Value of TEAM_TOKEN');
  at.press(`of the team 3391${key.enter}`);
  expect(await at.ended).toBe(0);
  expect(at.screen()).not.toContain('of the team 3391');

  // It newly names a secret of the team: an admin needs the approval too.
  const gated = await gantry.type('svc deploy', { in: 'holder' });
  expect(gated.output).toContain('Admins need one too, because it newly names TEAM_TOKEN of the team');
  expect(gated.code).toBe(4);
  const [request] = JSON.parse((await gantry.must('svc review list --json')).stdout) as { id: string }[];
  await gantry.must(`svc review approve ${request?.id} --reason fine`);
  await gantry.must('svc deploy', { in: 'holder' });
  expect(await variables('CRM_TOKEN', 'TEAM_TOKEN')).toEqual([canary, 'of the team 3391']);
});

test('a value is in no image, no record of the engine, no table, no log, no audit entry and no process (T74)', async () => {
  const { docker } = seen.engine;
  const [name = ''] = await seen.containers('agent');
  const container = docker.getContainer(name);
  const made = await container.inspect();
  const database = await databaseOf(gantry);
  const tables = await databaseAsText(database);
  await database.close();
  const places: Record<string, string> = {
    'the record of the container': JSON.stringify(made),
    'the record of the image': JSON.stringify(await docker.getImage(made.Image).inspect()),
    'the history of the image': JSON.stringify(await docker.getImage(made.Image).history()),
    'the processes of the container': JSON.stringify(await container.top({ ps_args: '-eo pid,args' })),
    'the log of the agent': (await gantry.must('svc logs holder')).output,
    'its log in JSON': (await gantry.must('svc logs holder --json')).output,
    'the log of the service': await readFile(join(gantry.data_dir, 'server.log'), 'utf8'),
    audit: (await gantry.must('svc audit --since 1d --json')).output,
    deployments: (await gantry.must('svc deployments list --json')).output,
    secrets: (await gantry.must('svc secret list --json')).output,
    environments: await ofProcesses('environ'),
    arguments: await ofProcesses('cmdline'),
    ...Object.fromEntries([...tables].map(([table, text]) => [`table ${table}`, text])),
  };
  const parts = canary.split('\r\n');
  const foundIn = (word: string) =>
    Object.entries(places).flatMap(([place, text]) => (contains(text, word) ? [place] : []));
  for (const word of [...parts, 'of the team 3391'])
    expect({ word, found: foundIn(word) }).toEqual({ word, found: [] });
  expect(foundIn(control)).toEqual(
    expect.arrayContaining([
      'the log of the agent',
      'its log in JSON',
      'audit',
      'environments',
      'table public.content',
    ]),
  );
  expect(places['the log of the agent']).toContain(`${control} ***`);
  expect(await inImage(made.Image, [...parts, control])).toEqual([control]);
  expect(await inFiles(gantry.data_dir, [...parts, control])).toEqual([control]);
  expect(await readdir(seen.secrets_directory)).toEqual([name]);
});

test('a rotation replaces the agent while calls go on, and no call fails', async () => {
  const calls: { status: number; value: unknown }[] = [];
  const over = new AbortController();
  const code = 'import os\ndef look():\n    return os.environ["CRM_TOKEN"]\n';
  const calling = Promise.all(
    Array.from({ length: 3 }, async () => {
      while (!over.signal.aborted) {
        const { status, json } = await agent.ask({ do: 'run python', value: code });
        calls.push({ status, value: json.output?.result });
      }
    }),
  );
  const { output } = await gantry.must('svc secret rotate CRM_TOKEN --agent holder', { stdin: 'a new value 9922\n' });
  const { length } = calls;
  await expect.poll(() => calls.length, { timeout: 30_000 }).toBeGreaterThan(length + 20);
  over.abort();
  await calling;
  expect(output).toContain('CRM_TOKEN of agents/holder has a new value; holder runs with it');
  expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(calls.map(({ value }) => value))).toEqual(new Set([canary, 'a new value 9922']));
  expect(calls.at(-1)?.value).toBe('a new value 9922');
  const { items } = await (await adminOf(gantry)).call('deployments.list', { query: { agent: 'holder', limit: 2 } });
  expect(items[0]?.digest).toBe(items[1]?.digest);
});

test('a restart of a killed container puts the files back, and masks what it printed before a change', async () => {
  const admin = await adminOf(gantry);
  await serving(admin, 'holder');
  await expect.poll(async () => (await seen.containers('agent')).length, { timeout: 60_000 }).toBe(1);
  await gantry.must('svc secret set CRM_TOKEN --agent holder', { stdin: 'a third value 1177' });
  expect(await variables('CRM_TOKEN')).toEqual(['a new value 9922']);
  const [name = ''] = await seen.containers('agent');
  await seen.engine.docker.getContainer(name).kill();
  await expect
    .poll(async () => (await admin.call('agents.status', { params: { name: 'holder' } })).restarts, { timeout: 60_000 })
    .toBe(1);
  await serving(admin, 'holder');
  expect(await variables('CRM_TOKEN', 'TEAM_TOKEN')).toEqual(['a third value 1177', 'of the team 3391']);
  // The calls of the rotation wrote many lines after the first start.
  const logged = async () => (await gantry.must('svc logs holder --tail 50000')).output;
  // Each start of the agent prints it.
  await expect
    .poll(async () => (await logged()).split(`${control} ***`).length, { timeout: 20_000 })
    .toBeGreaterThanOrEqual(3);
  const output = await logged();
  for (const value of ['a new value 9922', 'a third value 1177']) expect(output).not.toContain(value);
  await rm(join(seen.secrets_directory, name), { recursive: true });
  await seen.engine.docker.getContainer(name).kill();
  await serving(admin, 'holder');
  await expect.poll(async () => await variables('TEAM_TOKEN'), { timeout: 60_000 }).toEqual(['of the team 3391']);
});

test('SECRET_KEY can change: the agent keeps its container, its key and its secrets', async () => {
  const { key } = JSON.parse((await gantry.must('svc principal create --name robot --team ml --json')).stdout) as {
    key: string;
  };
  const [name] = await seen.containers('agent');
  const file = join(gantry.data_dir, 'secret-key');
  const previous = (await readFile(file, 'utf8')).trim();
  await gantry.must('svc server stop');
  await writeFile(file, `${randomBytes(32).toString('base64')}\n`);
  expect((await gantry.type('svc server start')).output).toContain('SECRET_KEY is not the one');
  await gantry.must('svc server start', { env: { PREVIOUS_SECRET_KEY: previous } });
  await gantry.must('svc server stop');
  await gantry.must('svc server start');
  expect((await gantry.type('svc whoami')).output).toContain('unauthenticated');
  await gantry.must(`svc login --email admin@gantry.local --password ${gantry.admin_password} --store file`);
  expect((await gantry.must('svc whoami', { as: 'robot', env: { SERVICE_API_KEY: key } })).output).toContain('robot');
  // The token from before has ended.
  agent = callAgent(`${gantry.url}/agents/holder`, (await gantry.must('svc token')).stdout.trim());
  expect(await variables('TEAM_TOKEN')).toEqual(['of the team 3391']);
  expect(await seen.containers('agent')).toEqual([name]);
  await gantry.must('svc restart holder');
  expect(await variables('CRM_TOKEN', 'TEAM_TOKEN')).toEqual(['a third value 1177', 'of the team 3391']);
});

test('a used secret is not removed, and names its users; a deleted agent takes its own with it', async () => {
  const used = await gantry.type('svc secret remove TEAM_TOKEN --team ml --yes');
  expect(used.output).toContain('TEAM_TOKEN is used by agents/holder');
  expect(used.code).toBe(1);
  await gantry.must('svc delete holder --yes');
  await gantry.must('svc secret remove TEAM_TOKEN --team ml --yes');
  expect(JSON.parse((await gantry.must('svc secret list --json')).stdout)).toEqual([]);
  expect(await seen.secrets()).toEqual([]);
});

/** This file of /proc, of all processes of this installation. */
async function ofProcesses(file: 'environ' | 'cmdline'): Promise<string> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const texts = await Promise.all(
    pids.map(async (pid) => await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')), // a process that has ended
  );
  return texts.filter((text) => !text.includes('vitest')).join('\n');
}

/** The words in all layers of the image, by the tar that the engine exports. */
async function inImage(id: string, words: string[]): Promise<string[]> {
  const found = new Set<string>();
  let rest = Buffer.alloc(0);
  for await (const chunk of await seen.engine.docker.getImage(id).get()) {
    const bytes = Buffer.concat([rest, chunk as Buffer]); // the stream has no encoding
    for (const word of words) if (bytes.includes(word)) found.add(word);
    rest = bytes.subarray(-100);
  }
  return [...found];
}

async function inFiles(folder: string, words: string[]): Promise<string[]> {
  const has = async (word: string) =>
    await run('grep', ['-rqF', '--binary-files=text', '--', word, folder]).then(
      () => true,
      () => false,
    );
  const found = await Promise.all(words.map(has));
  return words.filter((_, n) => found[n]);
}
