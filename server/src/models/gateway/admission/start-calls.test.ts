// Calls of an agent while it loads: with the key of its revision, before the deploy has registered it.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorize } from '../../../governance/access/authorize.ts';
import { systemCaller } from '../../../governance/access/caller.ts';
import { change, type GovernedTx } from '../../../governance/access/change.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import { sql, type Sql } from '../../../ground/database/sql.ts';
import { openEnvelope } from '../../../ground/envelope/envelope.ts';
import { openStoredKeys } from '../../../ground/envelope/stored-keys.ts';
import { activateAgentKey, endAgentKey, mintAgentKey, openAgentKey } from '../../keys/holders/agent-keys.ts';
import type { KeyMaker } from '../../keys/parts.ts';
import { enqueue } from '../../../ground/runs/run.ts';
import type { CrashWorkerSettings } from '../../../testing/killed/crash-worker.ts';
import { findUser } from '../../../people/principals/find.ts';
import { modelStage, type ModelStage } from '../../../testing/models/model-stage.ts';
import { storeAgent, type StoredAgent } from '../../../testing/stored/stored-agent.ts';
import { lastRefusedStart } from './refused-start.ts';

let stage: ModelStage;
let maker: KeyMaker;
let agent: StoredAgent;
let team_id: string;
let user_id: string;

beforeAll(async () => {
  stage = await modelStage();
  const { app, max } = stage;
  const keys = await openStoredKeys(app.db, { secret_key: app.secret_key });
  maker = { pepper: keys['key-pepper'], envelope: openEnvelope(keys.envelope) };
  agent = await storeAgent(app, max.email, { name: 'support' });
  user_id = (await findUser(app.db, max.email))?.id ?? '';
  team_id = (await max.client.call('teams.show', { params: { team: 'ml' } })).id;
});
afterAll(async () => await stage?.stop());

async function inChange<T>(work: (tx: GovernedTx) => Promise<T>): Promise<T> {
  const grant = authorize(systemCaller('system.resume'), 'system.resume', theOrg);
  return await change(stage.app.db, grant, 'deploy', work);
}

/** A deploy whose executor is alive, and the key of its step 5. No worker knows its kind, so its rows stay as the test writes them. */
async function deploying(models = ['small']): Promise<{ run_id: string; id: string; key: string | undefined }> {
  const { db } = stage.app;
  const run_id = randomUUID();
  await db.run(sql`
    insert into run (id, kind, mutex, input, actor_id, actor_name, state, owner, fence, started_at, lease_until)
    values (${run_id}, 'of-a-test', ${run_id}, '{}', ${user_id}, 'max', 'running', 'worker', 1, clock_now(), clock_now() + interval '10 minutes')`);
  return { run_id, ...(await keyOf(run_id, models)) };
}

async function keyOf(run_id: string, models = ['small']): Promise<{ id: string; key: string | undefined }> {
  const { id } = await inChange(
    async (tx) =>
      await mintAgentKey(maker, tx, {
        agent_id: agent.asset_id,
        name: agent.name,
        team_id,
        models,
        created_by: user_id,
        start_run_id: run_id,
      }),
  );
  return { id, key: await openAgentKey(maker, stage.app.db, id) };
}

async function begin(run_id: string): Promise<void> {
  await stage.app.db.run(sql`insert into run_step (run_id, n, name, state) values (${run_id}, 6, 'start', 'running')`);
}

async function starting(models?: string[]) {
  const made = await deploying(models);
  await begin(made.run_id);
  return made;
}

test('an agent calls its models and lists them while its deploy starts it, and not before', async () => {
  const { app, call } = stage;
  const { run_id, id, key } = await deploying();
  expect(await call(key)).toMatchObject({
    status: 401,
    code: 'invalid_api_key',
    message: expect.stringContaining('not active yet'),
  });
  await begin(run_id);
  expect((await call(key)).status).toBe(200);
  expect(await call(key, { model: 'large' })).toMatchObject({ status: 403, code: 'model_not_allowed' });
  const listed = await fetch(`${app.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  expect(await listed.json()).toMatchObject({ data: [{ id: 'small' }] });
  // Step 7 begins after the end of step 6, and activates the key.
  await app.db.run(sql`update run_step set state = 'done' where run_id = ${run_id}`);
  expect((await call(key)).status).toBe(200);
  await inChange(async (tx) => await activateAgentKey(tx, id));
  await app.db.run(
    sql`update run set state = 'done', settled_at = clock_now(), ended_at = clock_now() where id = ${run_id}`,
  );
  expect((await call(key)).status).toBe(200);
});

test('its calls during the start are costs and spans of the agent, under its budget', async () => {
  const { app, call } = stage;
  const { id, key } = await starting();
  expect((await call(key)).status).toBe(200);
  const settled = async () =>
    await app.db.all(sql`select agent, team, tags, nano::float8 > 0 as has_cost from ledger where key_id = ${id}`);
  await expect
    .poll(settled)
    .toEqual([{ agent: 'support', team: 'ml', tags: expect.arrayContaining(['during:start']), has_cost: true }]);
  const spans = async () =>
    await app.db.all(
      sql`select agent_id, attributes ->> 'during' as during from span where attributes ->> 'key_id' = ${id}`,
    );
  await expect.poll(spans).toEqual([{ agent_id: agent.asset_id, during: 'start' }]);
  const limit = async (daily_usd: string | null) =>
    await stage.max.client.call('budgets.set', {
      body: { scope: 'agent', scope_id: agent.name, limits: { daily_usd } },
    });
  await limit('0');
  expect(await call(key)).toMatchObject({ status: 429, code: 'budget_exceeded' });
  await limit(null);
  expect((await call(key)).status).toBe(200);
});

test.each<[string, (run_id: string) => Sql]>([
  [
    'somebody cancels it',
    (id) => sql`update run set state = 'cancelling', cancel_requested_at = clock_now() where id = ${id}`,
  ],
  ['its step fails', (id) => sql`update run_step set state = 'failed' where run_id = ${id}`],
  ['it is undone', (id) => sql`update run set ending = '{}' where id = ${id}`],
  ['it has ended', (id) => sql`update run set state = 'failed', ended_at = clock_now() where id = ${id}`],
  ['its process releases it', (id) => sql`update run set owner = null, lease_until = null where id = ${id}`],
  ['nobody has renewed the lease in time', (id) => sql`update run set lease_until = clock_now() where id = ${id}`],
])('no call of the agent is admitted once its start is over: %s', async (_, end) => {
  const { app, call } = stage;
  const { run_id, key } = await starting();
  expect((await call(key)).status).toBe(200);
  await app.db.run(end(run_id));
  expect(await call(key)).toMatchObject({ status: 401, code: 'invalid_api_key' });
});

test('kill -9 of the process that starts an agent closes its key within the lease', async () => {
  const { app, call } = stage;
  const folder = await mkdtemp(join(tmpdir(), 'gantry-start-calls-'));
  const actor = { user_id, name: 'max' };
  const { id: run_id } = await enqueue(app.db, {
    kind: 'story',
    mutex: folder,
    input: { folder, waits: 'second' },
    actor,
  });
  const { key } = await keyOf(run_id);
  const times = { lease_ms: 900, poll_ms: 50 };
  const settings: CrashWorkerSettings = { connection: app.connection, owner: 'child', times, trap: undefined };
  const program = join(import.meta.dirname, '../../../testing/killed/crash-worker.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    const second = async () => await app.db.one(sql`select from run_step where run_id = ${run_id} and name = 'second'`);
    await expect.poll(second, { timeout: 30_000 }).toBeDefined();
    await begin(run_id);
    const lease = async () => await app.db.one(sql`select lease_until from run where id = ${run_id}`);
    const first = await lease();
    await expect.poll(lease, { timeout: 10_000 }).not.toEqual(first);
    expect((await call(key)).status).toBe(200);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect.poll(async () => (await call(key)).status, { timeout: 10_000 }).toBe(401);
  } finally {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true });
  }
});

test('the clock of the database ends the start of a killed process', async () => {
  const { app, call } = stage;
  const { key } = await starting();
  expect((await call(key)).status).toBe(200);
  await app.moveClock('11 minutes');
  expect(await call(key)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  await app.moveClock('0 minutes');
});

test('the last refusal of a start is known to its deploy, and none of a registered or an ended key', async () => {
  const { app, call } = stage;
  const { id, key } = await starting();
  expect(await lastRefusedStart(app.db, id)).toBeUndefined();
  expect((await call(key, { model: 'large' })).status).toBe(403);
  expect((await call(key, { model: 'huge\u0000' })).status).not.toBe(200);
  expect((await call(key, { model: 'gpt-4o' })).status).toBe(403);
  expect((await lastRefusedStart(app.db, id))?.detail).toContain('"gpt-4o"');
  await inChange(async (tx) => await activateAgentKey(tx, id));
  expect(await lastRefusedStart(app.db, id)).toBeUndefined();
  const other = await starting();
  await inChange(async (tx) => await endAgentKey(tx, other.id));
  expect((await call(other.key)).status).toBe(401);
  expect(await lastRefusedStart(app.db, other.id)).toBeUndefined();
});

test('the hint about an unknown model fits the agent.yaml, and repeats no shell syntax of the agent', async () => {
  const { app, call } = stage;
  const hintOf = async (models: string[], model: string) => {
    const { id, key } = await starting(models);
    expect((await call(key, { model })).code).toBe('model_not_allowed');
    return (await lastRefusedStart(app.db, id))?.hint;
  };
  expect(await hintOf(['small'], 'large')).toContain('agent.yaml allows small.');
  expect(await hintOf(['gpt-4.1'], 'gpt-4.1')).toContain(
    'svc model add gpt-4-1 --provider openai --model gpt-4.1 --team ml',
  );
  expect(await hintOf(['*'], 'gpt-4o')).toContain('Add it: `svc model add gpt-4o --provider openai --team ml`');
  expect(await hintOf(['*'], 'x; rm -rf /')).not.toContain('rm -rf');
});
