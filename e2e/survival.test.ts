// Kills and cancels at every point: a deploy ends deployed or without a trace, acknowledged changes stay, agents answer again.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { deploySteps } from '@gantry/contract/agents/deploy.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { adminOf, ended, latestDeployment, reached, serving } from './api.ts';
import { callAgent, type Agent } from './call-agent.ts';
import { databaseOf } from './database-of.ts';
import { engineOf, type Seen } from './engine-of.ts';
import { isAlive } from './is-alive.ts';
import { install, type OwnInstallation } from './installation.ts';
import { atGate, setGate } from './step-gate.ts';
import { agentYaml, echo, requirements, writeProject } from './write-project.ts';

let gantry: OwnInstallation;
let admin: Client;
let seen: Seen;
let parrot: Agent;

beforeAll(async () => {
  // With an image of its own, so that its build has work to be killed in.
  gantry = await install({ BUILD_SHARE: 'team' });
  admin = await adminOf(gantry);
  seen = await engineOf(gantry);
  parrot = callAgent(`${gantry.url}/agents/parrot`, await gantry.token());
  await gantry.must('svc team create ml');
  // Slow enough to catch its start in the middle.
  await writeProject(gantry, 'parrot', { 'agent.py': `import time\ntime.sleep(3)\n${echo}` });
});
afterAll(async () => await gantry.stop());

describe('a service that is killed with -9', () => {
  test('in every step of one deploy: the deploy resumes and ends deployed, once', async () => {
    await gantry.must('svc submit --message first', { in: 'parrot' });
    const { head } = await admin.call('audit.verify', { query: {} });
    await setGate(gantry, `${deploySteps[0]} done`);
    const { id } = await admin.call('deployments.create', { body: { ref: 'agents/parrot@1.0.0', force: false } });
    for (const [index, step] of deploySteps.entries()) {
      if (step === 'build') await killWhileRunning('sandbox');
      if (step === 'start') await killWhileRunning('agent');
      await atGate(gantry);
      const next = deploySteps[index + 1];
      await setGate(gantry, next && `${next} done`);
      await killAndStart();
    }
    const run = await ended(admin, 'parrot');
    expect(run).toMatchObject({ id, problem: null, state: 'done', endpoint: `${gantry.url}/agents/parrot/invoke` });
    expect(run.steps.map(({ name, state }) => ({ name, state }))).toEqual(
      deploySteps.map((name) => ({ name, state: 'done' })),
    );
    await answers('deployed');
    const containers = await seen.containers('agent');
    expect(containers).toHaveLength(1);
    expect({ sandboxes: await seen.containers('sandbox'), secrets: await seen.secrets() }).toEqual({
      sandboxes: [],
      secrets: containers,
    });
    const { items } = await admin.call('audit.list', {
      query: { asset: 'agents/parrot', action: 'deploy', limit: 50 },
    });
    expect(items.filter(({ event }) => event === 'deploy')).toHaveLength(1);
    await gantry.must(`svc audit verify --head ${head}`);
  }, 400_000);

  test('after a batch: its traces, its runs and the figures are there again', async () => {
    const id = (await parrot.ask({ said: 'traced' })).headers.get('x-trace-id') ?? '';
    const kept = async () => ({
      trace: await admin.call('traces.show', { params: { id } }).catch(() => undefined),
      runs: (await admin.call('traces.runs', { params: { name: 'parrot' }, query: {} })).items,
      calls: (await status()).last_24h.calls,
    });
    const isWritten = async () => {
      const { trace, runs, calls } = await kept();
      const call = trace?.spans.find(({ source }) => source === 'ingress');
      // The first step ends last.
      const isWhole = trace?.spans.some(({ source, parent_id }) => source === 'agent' && parent_id === call?.span_id);
      return isWhole === true && runs[0]?.trace_id === id && calls === runs.length;
    };
    await expect.poll(isWritten, { timeout: 30_000, interval: 200 }).toBe(true);
    const before = await kept();
    await killAndStart();
    expect(await kept()).toEqual(before);
  });

  test('in the middle of writes: every acknowledged change stays, and the log verifies', async () => {
    await gantry.person('ada');
    await gantry.must('svc team add ml user:ada@example.com --role contributor');
    await writeProject(gantry, 'asked');
    const submitted = await gantry.must('svc submit --message please --json', { as: 'ada', in: 'asked' });
    const request = JSON.parse(submitted.stdout.trim().split('\n').at(-1) ?? '') as { id: string };
    const { head } = await admin.call('audit.verify', { query: {} });
    await admin.call('approvals.approve', { params: { id: request.id }, body: { reason: 'fine' } });
    const acknowledged: string[] = [];
    const writing = (async () => {
      for (let n = 1; n < 1000; n++) {
        await admin.call('users.create', { body: { email: `user-${n}@example.com`, role: 'viewer' } });
        acknowledged.push(`user-${n}@example.com`);
      }
    })();
    await expect.poll(() => acknowledged.length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(8);
    const ended = writing.catch((error: unknown) => error);
    await killAndStart();
    expect(await ended).toBeInstanceOf(Error);
    const { items } = await admin.call('users.list', { query: { limit: 200 } });
    expect(items.map(({ email }) => email)).toEqual(expect.arrayContaining(acknowledged));
    expect(await admin.call('approvals.show', { params: { id: request.id } })).toMatchObject({
      status: 'approved',
      reason: 'fine',
    });
    await gantry.must(`svc audit verify --head ${head}`);
  });
});

describe('a cancelled deploy ends cancelled, without remains and with the old revision answering', () => {
  let before: string[];
  beforeAll(async () => {
    before = await seen.containers('agent');
  });

  test('while packages are installed', async () => {
    await project('1.1.0', { 'requirements.txt': `${requirements}six\n` });
    await gantry.must('svc submit --message more', { in: 'parrot' });
    await gantry.must('svc deploy agents/parrot@1.1.0 --detach');
    await expect.poll(async () => (await seen.running('sandbox')).length, { timeout: 60_000, interval: 50 }).toBe(1);
    await cancelled();
  });

  test('while the container starts; Ctrl-C alone only detaches', async () => {
    await project('1.2.0', { 'agent.py': `import time\ntime.sleep(600)\n${echo}` });
    await gantry.must('svc submit --message slow', { in: 'parrot' });
    const watching = gantry.type(
      'exec svc deploy agents/parrot@1.2.0 & pid=$!; while [ ! -e interrupt ]; do sleep 0.1; done; kill -INT $pid; wait $pid',
    );
    await reached(admin, 'parrot', 'start');
    await expect.poll(async () => (await seen.running('agent')).length, { timeout: 20_000 }).toBe(before.length + 1);
    await gantry.must('touch interrupt');
    expect(await watching).toMatchObject({
      code: 0,
      output: expect.stringContaining('continues without this terminal'),
    });
    expect((await latestDeployment(admin, 'parrot')).state).toBe('running');
    await cancelled();
  });

  async function cancelled(): Promise<void> {
    const { id } = await latestDeployment(admin, 'parrot');
    const asked = performance.now();
    await gantry.must(`svc deployments cancel ${id}`);
    expect(await ended(admin, 'parrot')).toMatchObject({ id, state: 'cancelled', problem: { code: 'cancelled' } });
    expect(performance.now() - asked).toBeLessThan(15_000);
    expect({
      agents: await seen.containers('agent'),
      sandboxes: await seen.containers('sandbox'),
      secrets: await seen.secrets(),
    }).toEqual({ agents: before, sandboxes: [], secrets: before });
    await answers('after a cancel');
  }
});

test('a new version that does not start leaves the old one answering, without one failed call', async () => {
  const calls: number[] = [];
  const over = new AbortController();
  const calling = (async () => {
    while (!over.signal.aborted) calls.push((await parrot.ask({ said: 'hello' }).catch(() => ({ status: 0 }))).status);
  })();
  await project('1.3.0', { 'agent.py': `raise RuntimeError("not today")\n${echo}` });
  const { code, output } = await gantry.type('svc deploy', { in: 'parrot' });
  over.abort();
  await calling;
  expect(code, output).toBe(1);
  expect(output).toContain('RuntimeError: not today');
  expect(calls.length).toBeGreaterThan(20);
  expect(new Set(calls)).toEqual(new Set([200]));
  expect(await admin.call('agents.status', { params: { name: 'parrot' } })).toMatchObject({
    state: 'serving',
    ref: 'agents/parrot@1.0.0',
  });
});

test('a killed container is shown as dead, and is started again', async () => {
  const [name = ''] = await seen.containers('agent');
  await seen.engine.docker.getContainer(name).kill();
  await expect.poll(async () => (await status()).restarts, { timeout: 60_000 }).toBe(1);
  await serving(admin, 'parrot');
  // After several crashes it waits long: here long enough to look at it.
  await waits('1 hour');
  await seen.engine.docker.getContainer(name).kill();
  const { output } = await gantry.must('svc status parrot');
  expect(output).toMatch(/failed/);
  expect(output).toContain('The container exited with code 137');
  expect(output).toContain('It restarts');
  expect((await gantry.type('svc invoke parrot \'{"said":"there?"}\'')).output).toContain('agent_unavailable');
  await waits('0 s');
  await expect.poll(async () => (await status()).restarts, { timeout: 60_000 }).toBe(2);
  await serving(admin, 'parrot');
  await answers('again');
});

test('agents answer again after a stop and a start, even when the machine has lost containers and memory meanwhile', async () => {
  await gantry.must('svc server stop');
  const [name = ''] = await seen.containers('agent');
  await gantry.must('svc server start');
  await serving(admin, 'parrot');
  await answers('after a restart');
  expect(await seen.containers('agent')).toEqual([name]);

  // As after a reboot: the container has stopped, and the memory is empty.
  await gantry.must('svc server stop');
  await seen.engine.docker.getContainer(name).kill();
  for (const secret of await seen.secrets()) await rm(join(seen.secrets_directory, secret), { recursive: true });
  await gantry.must('svc server start');
  await answers('after a reboot');
});

test('an agent whose container and image were removed is built again, with an entry in the log', async () => {
  await gantry.must('svc server stop');
  const [name = ''] = await seen.containers('agent');
  const container = seen.engine.docker.getContainer(name);
  const { Image } = await container.inspect();
  await container.remove({ force: true });
  await seen.engine.docker.getImage(Image).remove({ force: true });
  await gantry.must('svc server start');
  await answers('after a prune');
  const { stdout } = await gantry.must('svc audit --action revision.rebuilt --json');
  expect(JSON.parse(stdout)).toMatchObject([
    { asset: 'agents/parrot', detail: { before: Image, after: expect.stringMatching(/^sha256:/) } },
  ]);
});

/** Sets the earliest restart of a dead container, counted from now. */
async function waits(time: string): Promise<void> {
  const db = await databaseOf(gantry);
  await db.run(sql`update instance set next_start_at = clock_now() + ${time}::interval`);
  await db.close();
}

async function killAndStart(): Promise<void> {
  const pid = await gantry.pid();
  process.kill(pid, 'SIGKILL');
  await expect.poll(async () => await isAlive(pid)).toBe(false);
  await gantry.must('svc server start');
}

/** One more crash, in the middle of a step's work in the engine; the gate after the step stays. */
async function killWhileRunning(purpose: 'agent' | 'sandbox'): Promise<void> {
  await expect.poll(async () => (await seen.running(purpose)).length, { timeout: 90_000, interval: 50 }).toBe(1);
  await killAndStart();
}

async function project(version: string, files: Record<string, string>): Promise<void> {
  await writeProject(gantry, 'parrot', { 'agent.yaml': agentYaml('parrot').replace('1.0.0', version), ...files });
}

const status = async () => await admin.call('agents.status', { params: { name: 'parrot' } });

async function answers(said: string): Promise<void> {
  await expect.poll(async () => (await parrot.ask({ said })).json.output?.['said'], { timeout: 60_000 }).toBe(said);
}
