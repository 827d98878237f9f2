// Calls, followed output and runs of orchestrations go on over a stop, a kill and a start of the service.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAgent, type Agent } from '../call-agent.ts';
import { engineOf, type Seen } from '../engine-of.ts';
import { install, type OwnInstallation } from '../installation.ts';
import { isAlive } from '../is-alive.ts';
import { orchestrating } from '../orchestrating.ts';
import { agentYaml, writeProject } from '../write-project.ts';

let gantry: OwnInstallation;
let seen: Seen;
let prober: Agent;
const call = async (input: object) => await prober.send('/invoke', { method: 'POST', body: JSON.stringify({ input }) });
const detached = async (input: object) => {
  const headers = { prefer: 'respond-async' };
  const called = await prober.send('/invoke', { method: 'POST', body: JSON.stringify({ input }), headers });
  expect(called).toMatchObject({ status: 202, json: { status: 'running' } });
  return called;
};
beforeAll(async () => {
  gantry = await install();
  seen = await engineOf(gantry);
  await gantry.must('svc team create ml');
  const code = async (name: string) => await readFile(join(import.meta.dirname, `../agents/${name}.py`), 'utf8');
  await writeProject(gantry, 'prober', { 'agent.py': await code('prober') });
  await writeProject(gantry, 'ann', {
    'agent.yaml': agentYaml('ann', 'deploy:\n  env_vars: {NAME: ann}\n'),
    'agent.py': await code('member'),
  });
  for (const name of ['prober', 'ann']) await gantry.must('svc deploy', { in: name });
  prober = callAgent(`${gantry.url}/agents/prober`, await gantry.token());
});
afterAll(async () => await gantry?.stop());

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

async function killAndStart(): Promise<void> {
  const pid = await gantry.pid();
  process.kill(pid, 'SIGKILL');
  await expect.poll(async () => await isAlive(pid)).toBe(false);
  await gantry.must('svc server start');
}
