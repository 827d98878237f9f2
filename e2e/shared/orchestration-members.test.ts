// Members of orchestrations in containers: with threads, deployed anew during a run, killed, unfit, and an agent of others.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { a2aServer, type A2aServer } from '../a2a-server.ts';
import { adminOf } from '../api.ts';
import { callAgent, type Agent } from '../call-agent.ts';
import { engineOf, type Seen } from '../engine-of.ts';
import type { Installation } from '../installation.ts';
import { orchestrating, type Orchestrating } from '../orchestrating.ts';
import { agentYaml, writeProject } from '../write-project.ts';
import { sharedInstallation } from './shared-installation.ts';

let gantry: Installation;
let remote: A2aServer;
let flow: Orchestrating;

beforeAll(async () => {
  [gantry, remote] = await Promise.all([sharedInstallation('members'), a2aServer()]);
  flow = orchestrating(gantry);
  await gantry.person('mia');
  await gantry.must('svc team add members user:mia@example.com --role viewer');
  // The client's package is for all, so that they share a dependency image.
  const requirements = 'langgraph>=1.0\nlangchain-core>=1.0\na2a-sdk==1.3.0\n';
  const project = async (name: string, file: string, yaml: string) => {
    const agent = await readFile(join(import.meta.dirname, '../agents', file), 'utf8');
    await writeProject(gantry, name, { 'agent.yaml': yaml, 'agent.py': agent, 'requirements.txt': requirements });
    await gantry.must('svc deploy', { in: name });
  };
  for (const name of ['amy', 'ben']) await project(name, 'member.py', memberYaml(name));
  const deploy = `deploy:\n  egress: ['${remote.host}']\n  env_vars: {REMOTE_URL: 'http://${remote.host}'}\n`;
  await project('passer', 'a2a_relay.py', agentYaml('passer', deploy, gantry.team));
});
afterAll(async () => {
  await remote?.stop();
});

const memberYaml = (name: string, said = name) =>
  agentYaml(name, `deploy:\n  env_vars: {NAME: ${said}}\n`, gantry.team);
const amy = '{ref: agents/amy, output: /answer}';
const ben = '{ref: agents/ben, output: /answer}';

async function agent(name: string): Promise<Agent> {
  return callAgent(`${gantry.url}/agents/${name}`, await gantry.token());
}

/** The run of a call by the admin, at its end. */
async function run(name: string, input: unknown) {
  return await flow.ended(name, await flow.call(name, input));
}

const inFlight = async (name: string) => {
  const admin = await adminOf(gantry);
  return (await admin.call('agents.status', { params: { name } })).in_flight ?? 0;
};

async function containerOf(name: string, seen: Seen): Promise<string> {
  const found = (await seen.running('agent')).find((container) => container.includes(name));
  if (found === undefined) throw new Error(`${name} has no running container`);
  return found;
}

test('a server of the official A2A SDK, unchanged, answers as a member through the declared egress', async () => {
  await flow.deploy(
    'outside',
    `strategy: sequential\nagents: {amy: ${amy}, passer: {ref: agents/passer, output: /answer}}\n`,
  );
  expect(await run('outside', 'one two three')).toMatchObject({ state: 'done', output: { text: '3 words' } });
});

test('two callers with the same thread_id share nothing, and each of them has a thread of their own', async () => {
  await flow.deploy('solo', `strategy: sequential\nagents: {amy: ${amy}}\n`);
  const say = async (text: string, as?: string) => {
    const { json } = await flow.call('solo', text, { thread_id: 'one', ...(as && { as }) });
    return (json['output'] as { text: string } | undefined)?.text;
  };
  expect(await say('tea')).toBe('amy(tea)');
  expect(await say('milk', 'mia')).toBe('amy(milk)');
  expect([await say('recall'), await say('recall', 'mia')]).toEqual(['["tea"]', '["milk"]']);
  // A direct call with this id is another thread too.
  const direct = await (await agent('amy')).ask({ text: 'recall' }, { thread_id: 'one' });
  expect(direct.json.output).toEqual({ answer: '[]' });
});

describe('a member that is not fit', () => {
  beforeAll(async () => {
    await flow.deploy(
      'lead',
      `strategy: supervisor\nsupervisor_config: {supervisor_agent: passer}
agents: {passer: {ref: agents/passer, output: /answer}, amy: ${amy}}\n`,
    );
  });

  test('its output has no text where `output` says: the run fails and names it', async () => {
    const { state, problem, steps } = await run('solo', 'nothing');
    expect({ state, problem }).toMatchObject({
      state: 'failed',
      problem: {
        code: 'member_failed',
        agent: 'agents/amy',
        detail: expect.stringContaining('its output has nothing at /answer') as string,
      },
    });
    expect(steps).toMatchObject([{ path: 'amy', state: 'failed' }]);
  });

  test('a supervisor that answers in prose is asked once more, and then refused with its words', async () => {
    const { problem, steps } = await run('lead', 'tea');
    expect(problem).toMatchObject({
      code: 'undecided',
      detail: expect.stringMatching(/answered: \d+ words/) as string,
    });
    expect(steps.map(({ path }) => path)).toEqual(['1:passer', '1:again:passer']);
  });
});

test('a member is deployed anew during a run: its later call goes to the new revision, and the run has both versions', async () => {
  const twice = `agents: {first: ${ben}, pause: ${amy}, last: ${ben}}\n`;
  await flow.deploy('twice', `strategy: sequential\n${twice}`);
  await flow.deploy('exact', `strategy: sequential\n${twice.replaceAll('agents/ben', 'agents/ben@1.0.0')}`);
  const begin = async (name: string) => await flow.call(name, 'hold amy1', { prefer: 'respond-async' });
  const [moving, exact] = [await begin('twice'), await begin('exact')];
  await expect.poll(async () => await inFlight('amy'), { timeout: 20_000 }).toBe(2);
  await writeFile(join(gantry.directory, 'ben/agent.yaml'), memberYaml('ben', 'ben2').replace('1.0.0', '1.1.0'));
  await gantry.must('svc deploy', { in: 'ben' });
  await (await agent('amy')).ask({ text: 'release amy1' });
  const ended = await flow.ended('twice', moving);
  expect(ended.output).toMatchObject({ text: 'ben2(amy(ben(hold amy1)))' });
  expect(ended.steps.map(({ path, agent: ref, version }) => [path, ref, version])).toEqual([
    ['first', 'agents/ben', '1.0.0'],
    ['pause', 'agents/amy', '1.0.0'],
    ['last', 'agents/ben', '1.1.0'],
  ]);
  expect(ended.steps[0]?.digest).not.toBe(ended.steps[2]?.digest);
  expect(await flow.ended('exact', exact)).toMatchObject({ state: 'failed', problem: { code: 'member_changed' } });
});

test('kill -9 of a member with `retry: true`: the call is lost, and the member is called again', async () => {
  await flow.deploy('again', `strategy: sequential\nagents: {amy: {ref: agents/amy, output: /answer, retry: true}}\n`);
  const seen = await engineOf(gantry);
  const begun = await flow.call('again', 'hold amy2', { prefer: 'respond-async' });
  await expect.poll(async () => await inFlight('amy'), { timeout: 20_000 }).toBe(1);
  await seen.engine.docker.getContainer(await containerOf('amy', seen)).kill();
  const release = async () => (await (await agent('amy')).ask({ text: 'release amy2' })).status;
  await expect.poll(release, { timeout: 60_000, interval: 500 }).toBe(200);
  expect(await flow.ended('again', begun)).toMatchObject({
    state: 'done',
    output: { text: 'amy(hold amy2)' },
    steps: [{ path: 'amy', state: 'done' }],
  });
});

test('a run whose member never answers ends at timeout_seconds, and the member ends its call when it answers again', async () => {
  await flow.deploy('late', `strategy: sequential\ntimeout_seconds: 5\nagents: {amy: ${amy}}\n`);
  const seen = await engineOf(gantry);
  const begun = await flow.call('late', 'slow 600', { prefer: 'respond-async' });
  await expect.poll(async () => await inFlight('amy'), { timeout: 20_000 }).toBe(1);
  const container = seen.engine.docker.getContainer(await containerOf('amy', seen));
  await container.pause();
  try {
    expect(await flow.ended('late', begun)).toMatchObject({
      state: 'failed',
      problem: { code: 'run_timeout' },
      notices: ['amy was cancelled, and may still run.'],
      steps: [{ path: 'amy', state: 'failed' }],
    });
  } finally {
    await container.unpause();
  }
  await expect.poll(async () => await inFlight('amy'), { timeout: 30_000 }).toBe(0);
});
