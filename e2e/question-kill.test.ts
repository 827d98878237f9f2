// A question of a public server, through the real svc, with a kill -9 between the question, the answer and the second call.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everythingServer } from '../server/src/testing/servers/everything-server.ts';
import { install, type OwnInstallation } from './installation.ts';
import { isAlive } from './is-alive.ts';

let gantry: OwnInstallation;
let every: Awaited<ReturnType<typeof everythingServer>>;
beforeAll(async () => {
  every = await everythingServer();
  gantry = await install({ OUTBOUND_PRIVATE_HOSTS: new URL(every.url).host });
  await gantry.must('svc team create ml');
  await gantry.must(
    `svc registry mcp-server create every --team ml --config '{transport: streamable-http, url: "${every.url}"}'`,
  );
  await gantry.must('svc mcp pin every --yes');
});
afterAll(async () => {
  await gantry?.stop();
  await every?.close();
});

async function killAndStart(): Promise<void> {
  const pid = await gantry.pid();
  process.kill(pid, 'SIGKILL');
  await expect.poll(async () => await isAlive(pid)).toBe(false);
  await gantry.must('svc server start');
}

test('svc names the next step, the question and its answer outlive a kill -9, and the call repeated gets the answer once', async () => {
  const call = 'svc tool call every trigger-elicitation-request';
  const first = await gantry.type(call);
  expect(first.code).toBe(4);
  expect(first.stderr).toContain('svc inbox');
  await killAndStart();
  const { stdout } = await gantry.must('svc inbox');
  const id = /question\s+(\S+)/.exec(stdout)?.[1] ?? '';
  expect(stdout).toContain('Please provide inputs for the following fields:');
  expect(stdout).toContain('one of hero-1 (Superman)');
  expect((await gantry.type(`svc answer ${id} accept --value integer=101 --value name=Ada`)).stderr).toContain(
    'integer needs at most 100',
  );
  await gantry.must(
    `svc answer ${id} accept --value name=42 --value integer=7 --value titledMultipleSelectEnum=fish-1 --value titledMultipleSelectEnum=fish-2`,
  );
  await killAndStart();
  const answered = (await gantry.must(call)).stdout;
  expect(answered).toContain('"name": "42"');
  expect(answered).toContain('"integer": 7');
  expect(answered).toMatch(/"titledMultipleSelectEnum": \[\s*"fish-1",\s*"fish-2"/);
  expect((await gantry.type(call)).code).toBe(4);
});
