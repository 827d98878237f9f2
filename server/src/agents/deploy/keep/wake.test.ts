// An agent with min 0: asleep without an instance, planned by its calls, started by its keeper.
import { Problem } from '@gantry/contract/problems.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { closePending } from '../../approvals/approval-for.ts';
import { revoke } from '../../approvals/revoke.ts';
import { openDatabase } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { findAgent } from '../../../assets/registry/find.ts';
import { transfer } from '../../../assets/registry/ownership/transfer.ts';
import { runEvents } from '../../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../../ground/runs/worker.ts';
import { emailOf } from '../../../testing/access/cast.ts';
import { cutOff, openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { deploy } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import * as instanceStore from '../instance-store.ts';
import { operationKinds } from '../operate/kinds.ts';
import { rollback } from '../operate/rollback.ts';
import { scale } from '../operate/scale.ts';
import { start } from '../operate/start.ts';
import { stop } from '../operate/stop.ts';
import { moveRevisionKeys } from '../revision-key.ts';
import { agentStatus, listStatuses } from '../status/status.ts';
import { wake } from '../serving/wake.ts';
import { startKeeper, type Keeper } from './keeper.ts';

let stage: DeployStage;
let worker: Worker;
let keepers: Keeper[] = [];
let errors: unknown[] = [];
const signal = AbortSignal.timeout(120_000);
const patience = { timeout: 20_000, interval: 50 };

beforeAll(async () => {
  stage = await openDeployStage();
  const { parts } = stage;
  const kinds = { deploy: deployKind(parts), ...operationKinds(parts) };
  const onError = (error: unknown) => errors.push(error);
  worker = await startWorker(parts.db, kinds, { owner: parts.leases.owner, poll_ms: 50, onError });
});
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
});
beforeEach(async () => {
  await stage.database.db.run(sql`delete from instance`);
  stage.clear();
  stage.room = { memory_bytes: 2 ** 40, used_bytes: 0 };
  errors = [];
});
afterEach(async () => {
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  keepers = [];
  if (errors.length > 0) throw new AggregateError(errors, 'a part reported unexpected errors');
});

function keep(look_every_ms = 100): Keeper {
  const onError = (error: unknown) => errors.push(error);
  const keeper = startKeeper(stage.parts, { onError, look_every_ms, sweep_every_ms: 60_000 });
  keepers.push(keeper);
  return keeper;
}

const root = async () => await stage.cast.caller('root');

async function ended(begun: Promise<Deployment>): Promise<string> {
  const { id } = await begun;
  for await (const _ of runEvents(stage.parts.db, id, 0, signal));
  return id;
}

/** A sleeping agent. */
async function asleep(version = '1.0.0', name?: string) {
  const pushed = await stage.push({ ...(name && { name }), version, yaml: 'deploy: {scaling: {min: 0, max: 2}}\n' });
  const approval = await stage.approve(pushed.ref);
  const id = await ended(deploy(stage.parts, await root(), { ref: pushed.ref, force: false }));
  await stage.database.db.run(sql`delete from instance where revision_id = ${id}`);
  stage.containers.delete(id);
  return { ...pushed, id, approval };
}

async function statusOf(name: string) {
  const asset = await findAgent(stage.database.db, name, null);
  if (asset === undefined) throw new Error(`${name} is gone`);
  return await agentStatus(stage.parts, asset, signal);
}

const instancesOf = (id: string) => instanceStore.instancesOfRevision(stage.parts.db, id);

test('an agent that is scaled to 0 is asleep, and many calls at two services start it once, at once', async () => {
  const { name, id } = await asleep();
  const states = async () => {
    const { items } = await listStatuses(stage.parts, await root(), { limit: 200, state: 'asleep' });
    return items.filter((one) => one.name === name);
  };
  expect(await states()).toMatchObject([{ state: 'asleep', detail: 'The next call starts it.', egress: null }]);
  const other = openDatabase(stage.database.app);
  // Its turns alone would start it too late.
  keep(60_000);
  const { db } = stage.parts;
  await Promise.all(Array.from({ length: 20 }, async (_, n) => await wake(n % 2 === 0 ? db : other, id)));
  await other.close();
  expect(await instancesOf(id)).toHaveLength(1);
  await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving', last_exit: 'A call woke it.' });
  expect(await states()).toEqual([]);
  await ended(scale(stage.parts, await root(), { name }, 0));
  expect(await statusOf(name)).toMatchObject({ state: 'asleep' });
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  keep();
  await expect.poll(() => stage.containers.size, patience).toBe(0);
  stage.health = { status: 'ready', in_flight: 0 };
  await wake(db, id);
  await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving' });
});

test('a stopped agent is not woken, and a start after the stop leaves it asleep', async () => {
  const { name, id } = await asleep();
  await ended(stop(stage.parts, await root(), name));
  await wake(stage.parts.db, id);
  expect(await instancesOf(id)).toEqual([]);
  expect(await statusOf(name)).toMatchObject({ state: 'stopped' });
  await ended(start(stage.parts, await root(), name));
  expect(await statusOf(name)).toMatchObject({ state: 'asleep' });
});

test('a failed start is stored for its calls, and no call repeats it before its time', async () => {
  const { name, id } = await asleep();
  const target = stage.targets.local;
  const begin = target.start;
  let starts = 0;
  target.start = async () => {
    starts += 1;
    throw new Problem('start_failed', { detail: 'It does not start.' });
  };
  keep();
  await wake(stage.parts.db, id);
  const problem = async () =>
    (await stage.parts.db.one<{ problem: string }>(sql`select problem from instance`))?.problem;
  await expect.poll(problem, patience).toBe('start_failed');
  const [{ failures, next_start_at } = { failures: 0, next_start_at: null }] = await instancesOf(id);
  expect(starts).toBe(failures);
  expect(Date.parse(String(next_start_at))).toBeGreaterThan(Date.now());
  for (let n = 0; n < 20; n++) await wake(stage.parts.db, id);
  expect(starts).toBe(failures);
  expect((await statusOf(name)).state).not.toBe('serving');
  target.start = begin;
  await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving' });
  expect(await problem()).toBeNull();
});

test('after the end of its approval a sleeping agent is not started, and without room neither', async () => {
  const { name, id, approval } = await asleep();
  const before = stage.provisioned;
  const problem = async () =>
    (await stage.parts.db.one<{ problem: string }>(sql`select problem from instance`))?.problem;
  stage.room = { memory_bytes: 2 ** 30, used_bytes: 2 ** 30 };
  keep();
  await wake(stage.parts.db, id);
  await expect.poll(problem, patience).toBe('no_room');
  expect((await statusOf(name)).no_room).toMatch(/^It needs 1.0 GiB for another container/);
  await revoke(stage.parts.db, await stage.cast.caller('max'), approval, 'no longer');
  stage.room = { memory_bytes: 2 ** 40, used_bytes: 0 };
  await expect.poll(problem, patience).toBe('approval_required');
  expect((await statusOf(name)).detail).toMatch(/^The approval of agents\/.* was revoked. It restarts at /);
  expect(stage.provisioned).toBe(before);
});

test('T573: a sleeping agent that would get more than its approval covers is not started', async () => {
  let permissions = ['role agents'];
  stage.targets.local.plan = () => ({
    requests: [],
    broken: [],
    notes: [],
    covers: { kinds: [], size: { cpu: '', memory: '' }, permissions, reach: [], secrets: [] },
  });
  const { name, id } = await asleep();
  const before = stage.provisioned;
  permissions = ['role admin'];
  keep();
  await wake(stage.parts.db, id);
  const problem = async () =>
    (await stage.parts.db.one<{ problem: string }>(sql`select problem from instance`))?.problem;
  await expect.poll(problem, patience).toBe('approval_required');
  expect((await statusOf(name)).detail).toContain('would get more on local than its approval covers: role admin.');
  expect(stage.provisioned).toBe(before);
  permissions = ['role agents'];
  await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving' });
});

test('the next keeper goes on with a start that another one left', async () => {
  const { name, id } = await asleep();
  const target = stage.targets.local;
  const whole = target.start;
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  target.start = async (_place, _files, ending) => {
    begin();
    return await cutOff(ending);
  };
  const first = keep();
  await wake(stage.parts.db, id);
  await began;
  await first.stop();
  expect(await statusOf(name)).toMatchObject({ instances: [{ n: 1 }] });
  target.start = whole;
  keep();
  await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving', instances: [{ n: 1 }] });
});

test('a redeploy and a rollback of a sleeping agent end awake', async () => {
  const { name } = await asleep();
  const { ref } = await asleep('2.0.0', name);
  await ended(deploy(stage.parts, await root(), { ref, force: true }));
  expect(await statusOf(name)).toMatchObject({ state: 'serving', ref });
  await ended(scale(stage.parts, await root(), { name }, 0));
  await ended(rollback(stage.parts, await root(), { name }, {}));
  expect(await statusOf(name)).toMatchObject({ state: 'serving', ref: `agents/${name}@1.0.0` });
});

test('a sleeping agent that is transferred starts with a key of its new team', async () => {
  const { name, id } = await asleep();
  const { parts, cast, database } = stage;
  const moving = {
    db: parts.db,
    closeRequests: closePending,
    moveKeys: async (...[tx, agent]: Parameters<Parameters<typeof transfer>[0]['moveKeys']>) =>
      await moveRevisionKeys(parts.key_maker, tx, agent),
  };
  await transfer(moving, await cast.caller('root'), { kind: 'agent', name }, { team: 'ops', owner: emailOf('otto') });
  keep();
  await wake(parts.db, id);
  await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving' });
  const key = await database.db.one<{ team: string }>(sql`
    select t.name as team from instance i join gateway_key k on k.id = i.key_id join team t on t.id = k.team_id
    where i.revision_id = ${id} and k.revoked_at is null`);
  expect(key?.team).toBe('ops');
});
