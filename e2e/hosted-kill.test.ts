// A service that is killed while it runs a hosted MCP server: after its next start nothing of the server is left.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineOf, type Seen } from './engine-of.ts';
import { install, type OwnInstallation } from './installation.ts';
import { isAlive } from './is-alive.ts';

let gantry: OwnInstallation;
let seen: Seen;
beforeAll(async () => {
  gantry = await install();
  seen = await engineOf(gantry);
  await gantry.must('svc team create ml');
  await gantry.must('printf hidden | svc secret set CLOCK_TOKEN --team ml');
  await gantry.must(
    `svc registry mcp-server create clock --team ml --config '{package: "pypi:mcp-server-time==2026.10.19", secrets: [CLOCK_TOKEN]}'`,
  );
});
afterAll(async () => await gantry?.stop());

test('after kill -9 and a start there is no container and no secret of it, and it runs again', async () => {
  const looking = gantry.type('svc mcp look clock');
  await expect.poll(async () => (await seen.running('mcp-server')).length, { timeout: 120_000, interval: 20 }).toBe(1);
  expect(await seen.secrets()).toHaveLength(1);
  const pid = await gantry.pid();
  process.kill(pid, 'SIGKILL');
  await expect.poll(async () => await isAlive(pid)).toBe(false);
  expect((await looking).code).not.toBe(0);
  expect(await seen.containers('mcp-server')).toHaveLength(1);
  await gantry.must('svc server start');
  await expect.poll(async () => await seen.containers('mcp-server'), { timeout: 30_000 }).toEqual([]);
  await expect.poll(async () => await seen.secrets()).toEqual([]);
  expect((await gantry.must('svc mcp pin clock --yes')).output).toContain('Agents may call 2 tools');
});
