// Kills and cancels at every point: a deploy ends deployed or without a trace, acknowledged changes stay, agents answer again.
import { readFile, rm } from 'node:fs/promises';
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
import { orchestrating } from './orchestrating.ts';
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

describe('over a stop, a kill and a start of the service', () => {
  let prober: Agent;
  const call = async (input: object) =>
    await prober.send('/invoke', { method: 'POST', body: JSON.stringify({ input }) });
  const detached = async (input: object) => {
    const headers = { prefer: 'respond-async' };
    const called = await prober.send('/invoke', { method: 'POST', body: JSON.stringify({ input }), headers });
    expect(called).toMatchObject({ status: 202, json: { status: 'running' } });
    return called;
  };
  beforeAll(async () => {
    const code = async (name: string) => await readFile(join(import.meta.dirname, `agents/${name}.py`), 'utf8');
    await writeProject(gantry, 'prober', { 'agent.py': await code('prober') });
    await writeProject(gantry, 'ann', {
      'agent.yaml': agentYaml('ann', 'deploy:\n  env_vars: {NAME: ann}\n'),
      'agent.py': await code('member'),
    });
    for (const name of ['prober', 'ann']) await gantry.must('svc deploy', { in: name });
    prober = callAgent(`${gantry.url}/agents/prober`, await gantry.token());
  });

  test('a long call continues while the service is stopped, and its answer is available afterwards', async () => {
    const containers = await seen.containers('agent');
    const value = '12345678901234567890';
    const waits = await detached({ do: 'wait', value });
    const ends_meanwhile = await detached({ do: 'sleep', value: 1 });
    // Within its budget when the service stops: the call becomes a run instead of an error.
    const held = call({ do: 'wait' });
    let looks = 0;
    const begun = async () => {
      const { output = {} } = (await prober.ask({ do: 'calls' })).json;
      looks += 1; // it counts itself
      return (output['result'] as { begun: number }).begun - looks;
    };
    await expect.poll(begun, { timeout: 20_000 }).toBe(3);
    await gantry.must('svc server stop');
    expect((await held).status).toBe(202);
    expect(await seen.containers('agent')).toEqual(containers);
    await gantry.must('svc server start');
    expect((await prober.ending(ends_meanwhile.json.run_id)).json.status).toBe('completed');
    await prober.ask({ do: 'open' });
    expect(await prober.ending(waits.json.run_id)).toMatchObject({
      status: 200,
      json: { status: 'completed', output: { result: value } },
    });
    expect((await prober.ending((await held).json.run_id)).status).toBe(200);
  });

  test('the output of an agent is followed, each line once', async () => {
    const read = async (file: string) => await readFile(join(gantry.directory, file), 'utf8').catch(() => '');
    const print = async (line: string) =>
      await prober.ask({ do: 'run python', value: `def look(): print(${JSON.stringify(line)}, flush=True)` });
    const shown = async (line: string) =>
      await expect
        .poll(async () => await read('followed.txt'), { timeout: 60_000, interval: 200 })
        .toContain(` ${line}\n`);
    // The shell becomes svc, so its process id is the one to interrupt.
    const following = gantry.type(
      'echo $$ > follower; exec svc logs prober -f --since 10m > followed.txt 2> followed-notes.txt',
    );
    await print('before the restart');
    await shown('before the restart');
    await gantry.must('svc server stop');
    await gantry.must('svc server start');
    await print('after the restart');
    await shown('after the restart');
    process.kill(Number(await read('follower')), 'SIGINT');
    expect((await following).code).toBe(0);
    const lines = (await read('followed.txt')).trimEnd().split('\n');
    expect(lines.toSorted()).toEqual([...new Set(lines)].toSorted());
    expect(lines.filter((line) => line.endsWith(' the restart'))).toHaveLength(2);
    expect(await read('followed-notes.txt')).toContain('reconnecting');
  });

  test('a run of an orchestration goes on, and no member is called twice', async () => {
    const flow = orchestrating(gantry);
    const members = ['first', 'second', 'third'].map((name) => `${name}: {ref: agents/ann, output: /answer}`);
    await flow.deploy('chain', `strategy: sequential\nagents: {${members.join(', ')}}\n`);
    const begun = await flow.call('chain', 'slow 3', { prefer: 'respond-async' });
    await expect.poll(async () => (await flow.read('chain', begun)).steps.length).toBe(1);
    await killAndStart();
    const run = await flow.ended('chain', begun);
    expect(run).toMatchObject({ state: 'done', output: { text: 'ann(ann(ann(slow 3)))' } });
    expect(run.steps.map(({ path }) => path)).toEqual(['first', 'second', 'third']);
  });
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
