// The service is really killed, and the containers too: what was asked for is carried to its end, and what was deployed answers again.
import { setTimeout as sleep } from 'node:timers/promises';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineOf, type Seen } from './engine-of.ts';
import { install, type Installation } from './installation.ts';

let installation: Installation;
let seen: Seen;

beforeAll(async () => {
  installation = await install();
  seen = await engineOf(installation);
});
afterAll(async () => await installation?.stop());

/** As the kernel does it when memory runs out: nothing is told, nothing is put in order. */
async function killService(): Promise<void> {
  process.kill(await installation.pid(), 'SIGKILL');
  await sleep(200);
}

async function waitForStep(id: string, step: string): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(50)) {
    const { stdout } = await installation.must(`svc deployments show ${id} --json`);
    const { steps } = JSON.parse(stdout) as { steps: { name: string; state: string }[] };
    if (steps.find(({ name }) => name === step)?.state === 'running') return;
  }
  throw new Error(`${id} did not come to ${step}`);
}

interface Shown {
  state: string;
  steps: { name: string; state: string }[];
}

async function ended(id: string): Promise<Shown> {
  for (const end = Date.now() + 90_000; Date.now() < end; await sleep(500)) {
    const shown = JSON.parse((await installation.must(`svc deployments show ${id} --json`)).stdout) as Shown;
    if (!['queued', 'running', 'cancelling'].includes(shown.state)) return shown;
  }
  throw new Error(`${id} did not end`);
}

async function beginDeploy(name: string): Promise<string> {
  await installation.must('svc submit --message first', { in: name });
  const answered = await fetch(`${installation.url}/api/v1/deployments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await installation.token()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ref: `agents/${name}@1.0.0` }),
  });
  const { data } = (await answered.json()) as { data: { id: string } };
  return data.id;
}

const greeting = async (name: string) =>
  (await installation.type(`svc invoke ${name} '{"message":"hi, I am Ada"}'`)).output;

test.each(['build', 'start'])(
  'a service that is killed in the middle of the %s step carries the deploy to its end',
  async (step) => {
    const name = `killed-at-${step}`;
    const project = await installation.project('langgraph-greeter', name, { name });
    // Long enough an import to be killed in.
    await appendFile(join(project, 'agent.py'), '\nimport time\ntime.sleep(5)\n');
    const id = await beginDeploy(name);
    await waitForStep(id, step);
    await killService();
    await installation.must('svc server start');
    const shown = await ended(id);
    expect(shown.state).toBe('done');
    expect(shown.steps.map(({ state }) => state)).toEqual(Array.from({ length: 8 }, () => 'done'));
    expect(await greeting(name)).toContain('Hello Ada');
    expect((await seen.containers('agent')).filter((container) => container.startsWith(`svc-${name}-`))).toHaveLength(
      1,
    );
    expect(await seen.containers('sandbox')).toEqual([]);
  },
);

test('agents answer while they are not looked after, and again after their containers died with the service', async () => {
  const name = 'reborn';
  await installation.project('langgraph-greeter', name, { name });
  await installation.must('svc deploy', { in: name });
  await killService();
  const [container] = (await seen.containers('agent')).filter((each) => each.startsWith(`svc-${name}-`));
  await seen.engine.docker.getContainer(container ?? '').kill();
  await installation.must('svc server start');
  await expect.poll(async () => await greeting(name), { timeout: 30_000, interval: 500 }).toContain('Hello Ada');
  expect((await installation.must(`svc status ${name}`)).output).toContain('serving');
  await installation.must('svc server stop');
  await installation.must('svc server start');
  expect(await greeting(name)).toContain('Hello Ada');
});
