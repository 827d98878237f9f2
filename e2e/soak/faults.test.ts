// A dependency of the service breaks: the engine, the base image, the package index, the database. Each time the service names it with the
// remedy, leaves no remains, and continues when it is back.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { adminOf, ended, latestDeployment, reached, serving } from '../api.ts';
import { callAgent, type Agent } from '../call-agent.ts';
import { databaseOf } from '../database-of.ts';
import { engineOf, type Seen } from '../engine-of.ts';
import { engineProxy, type EngineProxy } from '../engine-proxy.ts';
import { isAlive } from '../is-alive.ts';
import { install, type OwnInstallation } from '../installation.ts';
import { agentYaml, echo, requirements, writeProject } from '../write-project.ts';

let engine: EngineProxy;
let gantry: OwnInstallation;
let admin: Client;
let seen: Seen;
let parrot: Agent;

beforeAll(async () => {
  engine = await engineProxy();
  await engine.cut();
  gantry = await install({ DOCKER_HOST: engine.host, BUILD_SHARE: 'team' });
  admin = await adminOf(gantry);
  seen = await engineOf(gantry);
  parrot = callAgent(`${gantry.url}/agents/parrot`, await gantry.token());
  await gantry.must('svc team create ml');
  await writeProject(gantry, 'parrot');
});
afterAll(async () => {
  await gantry.stop();
  await engine.close();
});

describe('without an engine', () => {
  test('the service starts and answers; doctor names the engine and the remedy', async () => {
    expect((await gantry.must('svc server status')).output).toContain('ready');
    const { code, output } = await gantry.type('svc doctor');
    expect(code, output).toBe(1);
    expect(output).toMatch(/problem\s+engine\s+The container engine does not answer/);
    expect(output).toMatch(/problem\s+engine .*\n\s+→ Start the engine at unix:/);
  });

  test('a push ends at the step that needs the engine, with the reason', async () => {
    const { code, output } = await gantry.type('svc deploy', { in: 'parrot' });
    expect(code, output).toBe(1);
    expect(output).toMatch(/✓ references[\s\S]*✗ dependencies[\s\S]*✗ The container engine does not answer/);
    expect(output).toContain('engine_unavailable');
  });
});

describe('an engine that dies', () => {
  beforeAll(async () => await engine.restore());

  test('while packages are resolved: the push fails, and the same push works once the engine is back', async () => {
    const pushing = gantry.type('svc submit --message first', { in: 'parrot' });
    await sandbox();
    await engine.cut();
    await engine.restore();
    const { code, output } = await pushing;
    expect(code, output).toBe(1);
    expect(output).toMatch(/✗ dependencies[\s\S]*engine_unavailable/);
    await gantry.must('svc submit --message again', { in: 'parrot' });
    await noSandbox();
  });

  test('during a build: the deploy fails at that step without remains, and the next one deploys', async () => {
    const deploying = gantry.type('svc deploy agents/parrot@1.0.0');
    await reached(admin, 'parrot', 'build');
    await sandbox();
    await engine.cut();
    const { code, output } = await deploying;
    expect(code, output).toBe(1);
    expect(output).toMatch(/✗ 4\/8 build[\s\S]*✗ The container engine does not answer[\s\S]*engine_unavailable/);
    expect((await latestDeployment(admin, 'parrot')).state).toBe('failed');
    await engine.restore();
    await noSandbox();
    await gantry.must('svc deploy agents/parrot@1.0.0');
    expect(await parrot.ask({ said: 'I live' })).toMatchObject({ json: { output: { said: 'I live' } } });
  });

  test('during a start: the deploy lists its remains, the old revision answers, and the remains are removed once the engine is back', async () => {
    const before = await seen.containers('agent');
    await writeProject(gantry, 'parrot', {
      'agent.yaml': agentYaml('parrot').replace('1.0.0', '1.1.0'),
      'agent.py': `import time\ntime.sleep(600)\n${echo}`,
    });
    const deploying = gantry.type('svc deploy', { in: 'parrot' });
    await reached(admin, 'parrot', 'start');
    await expect.poll(async () => (await seen.running('agent')).length, { timeout: 20_000 }).toBe(before.length + 1);
    await engine.cut();
    const { code, output } = await deploying;
    expect(code, output).toBe(1);
    expect(output).toMatch(/failed, and its undo is incomplete\n *The container engine does not answer/);
    const run = await ended(admin, 'parrot');
    expect(run).toMatchObject({
      state: 'needs_attention',
      problem: { code: 'engine_unavailable', leftovers: [{ step: 'provision' }] },
    });
    expect(await parrot.ask({ said: 'still I' })).toMatchObject({ json: { output: { said: 'still I' } } });
    await engine.restore();
    await expect.poll(async () => await seen.containers('agent'), { timeout: 30_000 }).toEqual(before);
    await expect.poll(async () => await seen.secrets()).toEqual(before);
    await serving(admin, 'parrot');
  });
});

describe('a build without its dependencies', () => {
  afterAll(async () => await restartWith({}));

  test('a missing base image is named, by the push and by doctor', async () => {
    // A loopback port without a listener: there is no registry, and the engine reports it at once.
    await restartWith({ BASE_IMAGE: '127.0.0.1:9/nothing:none' });
    await writeProject(gantry, 'baseless');
    const { code, output } = await gantry.type('svc deploy', { in: 'baseless' });
    expect(code, output).toBe(1);
    expect(output).toMatch(
      /✗ dependencies[\s\S]*The base image 127\.0\.0\.1:9\/nothing:none is not in the engine and cannot be pulled[\s\S]*set BASE_IMAGE[\s\S]*base_image_missing/,
    );
    expect((await gantry.type('svc doctor')).output).toMatch(/problem\s+base image\s+The base image 127\.0\.0\.1:9/);
  });

  test('a package index that does not answer is named, with the setting that leads to it', async () => {
    await restartWith({ BUILD_INDEX_URL: 'http://127.0.0.1:9/simple' });
    await writeProject(gantry, 'unindexed', { 'requirements.txt': `${requirements}idna\n` });
    const { code, output } = await gantry.type('svc deploy', { in: 'unindexed' });
    expect(code, output).toBe(1);
    expect(output).toMatch(
      /✗ dependencies[\s\S]*✗ The package index did not answer[\s\S]*Check BUILD_INDEX_URL[\s\S]*index_unreachable/,
    );
  });

  test('a deploy with an existing lock and dependency image needs neither', async () => {
    await writeProject(gantry, 'thrifty');
    expect((await gantry.type('svc deploy', { in: 'thrifty' })).code).toBe(0);
  });
});

describe('a database that is killed', () => {
  test('ends the service; the next start has every acknowledged change, and the log verifies', async () => {
    const head = (await admin.call('audit.verify', { query: {} })).head;
    const acknowledged: string[] = [];
    const writing = (async () => {
      for (let n = 1; n < 1000; n++) {
        await admin.call('teams.create', { body: { name: `team-${n}` } });
        acknowledged.push(`team-${n}`);
      }
    })();
    await expect.poll(() => acknowledged.length, { timeout: 30_000, interval: 10 }).toBeGreaterThan(20);
    const service = await gantry.pid();
    process.kill(await databasePid(), 'SIGKILL');
    await expect(writing).rejects.toThrow();
    await expect.poll(async () => await isAlive(service), { timeout: 30_000 }).toBe(false);
    expect((await gantry.type('svc server status')).code).toBe(3);
    expect((await gantry.must('svc server logs --tail 30')).output).toContain('PostgreSQL ended (SIGKILL)');

    await gantry.must('svc server start');
    const { items } = await admin.call('teams.list', { query: { limit: 200 } });
    expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(acknowledged));
    await gantry.must(`svc audit verify --head ${head}`);
    await serving(admin, 'parrot');
    expect(await parrot.ask({ said: 'after all' })).toMatchObject({ json: { output: { said: 'after all' } } });
  });
});

async function sandbox(): Promise<void> {
  await expect
    .poll(async () => (await seen.containers('sandbox')).length, { timeout: 60_000, interval: 50 })
    .toBeGreaterThan(0);
}

async function noSandbox(): Promise<void> {
  await expect.poll(async () => await seen.containers('sandbox'), { timeout: 30_000 }).toEqual([]);
}

async function restartWith(env: Record<string, string>): Promise<void> {
  await gantry.must('svc server stop');
  await gantry.must('svc server start', { env });
}

async function databasePid(): Promise<number> {
  const db = await databaseOf(gantry);
  // The first process of the cluster: every backend is its child.
  const row = await db.one<{ pid: number }>(
    sql`select split_part(pg_read_file('postmaster.pid'), E'\n', 1)::int as pid`,
  );
  await db.close();
  if (row === undefined) throw new Error('PostgreSQL does not say which process it is');
  return row.pid;
}
