import { Problem } from '@gantry/contract/problems.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { runEvents } from '../../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../../ground/runs/worker.ts';
import { openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { sql } from '../../../ground/database/sql.ts';
import { closePending } from '../../approvals/approval-for.ts';
import { openAgentKey } from '../../../models/keys/holders/agent-keys.ts';
import { transfer, type MoveKeys } from '../../../assets/registry/ownership/transfer.ts';
import { setSecret } from '../../../assets/secrets/set.ts';
import { emailOf } from '../../../testing/access/cast.ts';
import { deleteAgent } from '../operate/delete.ts';
import { deploy } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import { startKeeper, type Keeper } from './keeper.ts';
import { moveRevisionKeys } from '../revision-key.ts';
import { agentStatus, listStatuses } from '../status/status.ts';
import { findAgent } from '../../../assets/registry/find.ts';
import { operationKinds } from '../operate/kinds.ts';
import { stop } from '../operate/stop.ts';
import type { DeployParts } from '../parts.ts';
import { instanceId } from '../instance-name.ts';
import * as instanceStore from '../instance-store.ts';
import * as store from '../store.ts';

let stage: DeployStage;
let worker: Worker;
let keepers: Keeper[] = [];
let errors: unknown[] = [];
const signal = AbortSignal.timeout(120_000);

beforeAll(async () => {
  stage = await openDeployStage();
  worker = await work(stage.parts);
});
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
});
beforeEach(async () => {
  // Ends the deployments of earlier tests.
  await stage.database.db.run(sql`delete from instance`);
  stage.clear();
  errors = [];
});
afterEach(async () => {
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  keepers = [];
  // A keeper continues after a bug, but the test must fail.
  if (errors.length > 0) throw new AggregateError(errors, 'the keeper reported unexpected errors');
});

async function work(parts: DeployParts): Promise<Worker> {
  const kinds = { deploy: deployKind(parts), ...operationKinds(parts) };
  return await startWorker(parts.db, kinds, {
    owner: parts.leases.owner,
    poll_ms: 50,
    onError: (error) => errors.push(error),
  });
}

function keep(): Keeper {
  const keeper = startKeeper(stage.parts, {
    onError: (error) => errors.push(error),
    look_every_ms: 100,
    hung_after_ms: 0,
    sweep_every_ms: 1000,
  });
  keepers.push(keeper);
  return keeper;
}

async function deployed(name?: string, version = '1.0.0', yaml = ''): Promise<{ name: string; id: string }> {
  const pushed = await stage.push({ ...(name === undefined ? {} : { name }), version, yaml });
  if (yaml !== '') await stage.approve(pushed.ref);
  const { id } = await deploy(stage.parts, await stage.cast.caller('root'), { ref: pushed.ref, force: false });
  for await (const _ of runEvents(stage.database.db, id, 0, signal));
  expect(stage.containers.get(id)).toMatchObject({ state: 'running' });
  return { name: pushed.name, id };
}

function crash(id: string): void {
  const found = stage.containers.get(id);
  if (found !== undefined) stage.containers.set(id, { ...found, state: 'exited', exit_code: 137, out_of_memory: true });
}

async function statusOf(name: string) {
  const asset = await findAgent(stage.database.db, name, null);
  if (asset === undefined) throw new Error(`${name} is gone`);
  return await agentStatus(stage.parts, asset, signal);
}

async function listed(name: string) {
  const { items } = await listStatuses(stage.parts, await stage.cast.caller('root'), { limit: 200 });
  return items.find((agent) => agent.name === name);
}

const stateOf = (id: string) => stage.containers.get(id)?.state;
const patience = { timeout: 20_000, interval: 50 };

test('a dead container shows as dead until its restart, and the restart is counted', async () => {
  const { name, id } = await deployed();
  expect(await statusOf(name)).toMatchObject({ state: 'serving', restarts: 0 });
  crash(id);
  const status = await statusOf(name);
  expect(status).toMatchObject({ state: 'failed', restarts: 0 });
  expect(status.detail).toContain('exited with code 137 because it ran out of memory');
  keep();
  await expect.poll(() => stateOf(id), patience).toBe('running');
  await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving', restarts: 1 });
});

test('of many dead containers at most four start at once, and all start', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 9; n++) ids.push((await deployed()).id);
  const target = stage.targets.local;
  const { start } = target;
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let [starting, most] = [0, 0];
  target.start = async (...given) => {
    starting += 1;
    most = Math.max(most, starting);
    await held;
    starting -= 1;
    return await start(...given);
  };
  for (const id of ids) crash(id);
  keep();
  const failing = async () => await stage.database.db.all(sql`select from instance where state = 'failed'`);
  await expect.poll(() => starting, patience).toBe(4);
  // The others were looked at, too.
  await expect.poll(failing, patience).toHaveLength(5);
  release();
  await expect.poll(() => ids.map(stateOf), patience).toEqual(ids.map(() => 'running'));
  expect(most).toBe(4);
});

test('after a transfer an agent is restarted once, with a key that its new team pays for; not while it lacks a secret', async () => {
  const { database, cast, parts } = stage;
  const { db } = database;
  const secret_parts = { db, cursors: parts.cursors, stores: parts.secret_stores, findUsers: store.secretUsers };
  const set = async (scope: object) =>
    await setSecret(secret_parts, await cast.caller('root'), { name: 'TOKEN', value: 'x', ...scope });
  const plain = await deployed();
  await set({ team: 'ml' });
  const { name, id } = await deployed(undefined, '1.0.0', 'deploy: {secrets: [TOKEN]}\n');
  const started: string[] = [];
  const target = stage.targets.local;
  const { start } = target;
  target.start = async (place, files, ...more) => {
    started.push(`${String(place['container_id'])} ${files['OPENAI_API_KEY']}`);
    return await start(place, files, ...more);
  };
  const moveKeys: MoveKeys = async (tx, agent) => await moveRevisionKeys(parts.key_maker, tx, agent);
  const move = async (agent: string) => {
    const to = { team: 'ops', owner: emailOf('otto') };
    const moving = { db, closeRequests: closePending, moveKeys };
    await transfer(moving, await cast.caller('root'), { kind: 'agent', name: agent }, to);
  };
  const keyOf = async (revision_id: string) => {
    const row = await db.one<{ id: string; team: string }>(sql`
      select k.id, t.name as team from revision v join gateway_key k on k.id = v.key_id join team t on t.id = k.team_id
      where v.id = ${revision_id} and k.revoked_at is null and k.activated_at is not null`);
    expect(row?.team).toBe('ops');
    return await openAgentKey(parts.key_maker, db, row?.id ?? '');
  };
  keep();
  await move(name);
  await move(plain.name);
  await expect.poll(() => started, patience).toEqual([`${plain.id} ${await keyOf(plain.id)}`]);
  await expect.poll(() => statusOf(plain.name), patience).toMatchObject({ state: 'serving', restarts: 1 });
  expect(stateOf(id)).toBe('running');
  await set({ agent: name });
  await expect.poll(() => started, patience).toEqual([expect.anything(), `${id} ${await keyOf(id)}`]);
  await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving', restarts: 1 });
  expect(started).toHaveLength(2);
});

test('a list shows the conditions from the keeper, and asks neither the engine nor a container', async () => {
  const { name, id } = await deployed();
  const live = await statusOf(name);
  expect(await listed(name)).toEqual({
    ...live,
    in_flight: null,
    seen_at: expect.any(String),
    instances: live.instances.map((one) => ({ ...one, in_flight: null, seen_at: expect.any(String) })),
    cost: { today_usd: '0.00', month_usd: '0.00', cap: null },
  });
  const target = stage.targets.local;
  const { observe } = target;
  let asked = 0;
  target.observe = async (...place) => {
    asked += 1;
    return await observe(...place);
  };
  crash(id);
  expect(await listed(name)).toMatchObject({ state: 'serving', restarts: 0 });
  expect(asked).toBe(0);
  target.start = async () => {
    throw new Problem('start_failed', { detail: 'It does not start.' });
  };
  keep();
  await expect
    .poll(() => listed(name), patience)
    .toMatchObject({ state: 'failed', detail: expect.stringContaining('137') });
  expect(asked).toBeGreaterThan(0);
});

test('while the engine is silent, a list shows no agent as serving', async () => {
  const { name } = await deployed();
  expect(await listed(name)).toMatchObject({ state: 'serving' });
  const target = stage.targets.local;
  const { list, observe } = target;
  keep();
  const [before] = await stage.database.db.all(sql`select url from instance`);
  await expect.poll(async () => await stage.database.db.all(sql`select from held_key`), patience).toHaveLength(2);
  target.list = target.observe = async () => {
    throw new Problem('engine_unavailable', { detail: 'The container engine does not answer (ENOENT)' });
  };
  await expect.poll(() => listed(name), patience).toMatchObject({ state: 'unknown' });
  const { detail, seen_at } = (await listed(name)) ?? {};
  expect(detail).toBe(`It was last checked at ${seen_at}.`);
  expect(await statusOf(name)).toMatchObject({
    state: 'unknown',
    detail: `The container engine does not answer (ENOENT). It was last checked at ${seen_at}.`,
  });
  // Calls still go to the last address.
  expect(await stage.database.db.all(sql`select url from instance`)).toEqual([before]);
  [target.list, target.observe] = [list, observe];
  await expect.poll(() => listed(name), patience).toMatchObject({ state: 'serving', restarts: 0 });
});

test('an agent without a recent look is unknown, and an unchanged look is confirmed', async () => {
  const { name } = await deployed();
  await stage.database.db.run(sql`update instance set seen_at = seen_at - interval '29 s'`);
  expect(await listed(name)).toMatchObject({ state: 'serving' });
  await stage.database.db.run(sql`update instance set seen_at = seen_at - interval '2 s'`);
  const silent = await listed(name);
  expect(silent).toMatchObject({ state: 'unknown', detail: `It was last checked at ${silent?.seen_at}.` });
  stage.health = { status: 'ready', in_flight: 3 };
  keep();
  await expect.poll(() => listed(name), patience).toMatchObject({ state: 'serving', in_flight: 3 });
});

test('a long start shows as starting until its deadline', async () => {
  const { name, id } = await deployed();
  await instanceStore.setStarting(stage.database.db, instanceId({ revision_id: id, n: 1 }), {
    last_exit: 'The container is missing.',
    is_restart: false,
  });
  await stage.database.db.run(sql`update instance set seen_at = seen_at - interval '34 s'`);
  expect(await listed(name)).toMatchObject({ state: 'starting', detail: 'The container is missing.' });
  await stage.database.db.run(sql`update instance set seen_at = seen_at - interval '2 s'`);
  expect(await listed(name)).toMatchObject({ state: 'unknown' });
});

test('after each crash, a container waits longer for its restart', async () => {
  const { name, id } = await deployed();
  keep();
  crash(id);
  await expect.poll(() => stateOf(id), patience).toBe('running');
  await expect.poll(() => statusOf(name), patience).toMatchObject({ restarts: 1 });
  crash(id);
  await expect.poll(() => stateOf(id), patience).toBe('running');
  await expect.poll(() => statusOf(name), patience).toMatchObject({ restarts: 2 });
  const [row] = await stage.database.db.all<{ wait: number }>(
    sql`select extract(epoch from next_start_at - clock_now())::float8 as wait from instance`,
  );
  expect(row?.wait).toBeGreaterThan(0.5);
});

test('a ready container that stops answering /health is killed and restarted, and the status has the reason', async () => {
  const { name, id } = await deployed();
  const target = stage.targets.local;
  const { stop: end, start: begin } = target;
  const done: string[] = [];
  target.stop = async (place, { grace_seconds }) => {
    done.push(`stopped within ${grace_seconds} s`);
    await end(place, { grace_seconds });
    stage.health = { status: 'ready', in_flight: 0 };
  };
  target.start = async (place, secrets, ...rest) => {
    done.push(`started with ${'SVC_INGRESS_SECRET' in secrets ? 'its' : 'no'} secret`);
    return await begin(place, secrets, ...rest);
  };
  stage.health = undefined;
  expect(await statusOf(name)).toMatchObject({ state: 'failed', restarts: 0, last_exit: null });
  keep();
  await expect
    .poll(() => statusOf(name), patience)
    .toMatchObject({
      state: 'serving',
      restarts: 1,
      last_exit: 'The container did not answer /health within 5 s, 3 times in a row, and was killed.',
    });
  expect(done).toEqual(['stopped within 0 s', 'started with its secret']);
  expect(stateOf(id)).toBe('running');
});

test('after each hang, a container waits longer for its restart', async () => {
  const { name } = await deployed();
  const target = stage.targets.local;
  const { stop: end } = target;
  target.stop = async (...stopping) => {
    await end(...stopping);
    stage.health = { status: 'ready', in_flight: 0 };
  };
  keep();
  for (const restarts of [1, 2]) {
    stage.health = undefined;
    await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving', restarts });
  }
  const [row] = await stage.database.db.all<{ wait: number }>(
    sql`select extract(epoch from next_start_at - started_at)::float8 as wait from instance`,
  );
  expect(row?.wait).toBeGreaterThan(1);
});

test('a busy agent that answers /health is not restarted', async () => {
  const { name, id } = await deployed();
  let asked = 0;
  Object.defineProperty(stage, 'health', {
    configurable: true,
    get: () => {
      asked += 1;
      return { status: 'ready', in_flight: 64 };
    },
  });
  try {
    keep();
    await expect.poll(() => asked, { ...patience, timeout: 25_000 }).toBeGreaterThan(8);
  } finally {
    Object.defineProperty(stage, 'health', { configurable: true, writable: true, value: undefined });
    stage.health = { status: 'ready', in_flight: 0 };
  }
  expect(await statusOf(name)).toMatchObject({ state: 'serving', restarts: 0 });
  expect(stateOf(id)).toBe('running');
});

test('a removed container is made again', async () => {
  const { name, id } = await deployed();
  stage.containers.delete(id);
  keep();
  await expect.poll(() => stateOf(id), patience).toBe('running');
  await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving' });
});

test('a stopped agent stays stopped', async () => {
  const { name, id } = await deployed();
  await stop(stage.parts, await stage.cast.caller('root'), name);
  keep();
  const other = await deployed();
  crash(other.id);
  await expect.poll(() => stateOf(other.id), patience).toBe('running');
  expect(stateOf(id)).toBe('exited');
  expect(await statusOf(name)).toMatchObject({ state: 'stopped' });
});

test('a replaced revision is removed after its last call, also after a restart of the service', async () => {
  const { name, id } = await deployed();
  stage.health = { status: 'ready', in_flight: 1 };
  const next = await deployed(name, '2.0.0');
  const first = keep();
  await expect.poll(() => stage.health?.status, patience).toBe('draining');
  expect(stateOf(id)).toBe('running');
  expect(await statusOf(name)).toMatchObject({ draining: [id], ref: `agents/${name}@2.0.0` });
  await first.stop();
  stage.health = { status: 'draining', in_flight: 0 };
  keep();
  await expect.poll(() => stateOf(id), patience).toBeUndefined();
  expect(stateOf(next.id)).toBe('running');
  await expect.poll(async () => (await statusOf(name)).draining, patience).toEqual([]);
});

test('a replaced revision stays until the answers of its calls are stored', async () => {
  const { name, id } = await deployed();
  stage.health = { status: 'draining', in_flight: 0 };
  await deployed(name, '2.0.0');
  const asked: string[] = [];
  let isOpen = true;
  stage.parts.hasOpenCalls = async (instance_id) => {
    asked.push(instance_id);
    return isOpen;
  };
  keep();
  await expect.poll(() => asked.length, patience).toBeGreaterThan(2);
  expect(new Set(asked)).toEqual(new Set([instanceId({ revision_id: id, n: 1 })]));
  expect(stateOf(id)).toBe('running');
  isOpen = false;
  await expect.poll(() => stateOf(id), patience).toBeUndefined();
});

test('the keeper looks at the serving revision while its predecessor finishes a long call', async () => {
  const { name, id } = await deployed();
  stage.health = { status: 'draining', in_flight: 1 };
  const next = await deployed(name, '2.0.0');
  keep();
  await expect.poll(async () => (await statusOf(name)).draining, patience).toEqual([id]);
  for (let crashes = 0; crashes < 2; crashes++) {
    crash(next.id);
    stage.health = { status: 'ready', in_flight: 1 };
    await expect.poll(() => stateOf(next.id), patience).toBe('running');
    stage.health = { status: 'draining', in_flight: 1 };
  }
  expect(stateOf(id)).toBe('running');
});

test('the last five revisions of an agent keep their images, and nothing is removed during a deploy', async () => {
  const { name, id } = await deployed();
  for (const version of ['2.0.0', '3.0.0', '4.0.0', '5.0.0', '6.0.0']) await deployed(name, version);
  const images = await stage.database.db.all<{ image: string }>(
    sql`select image from revision where agent_id = (select agent_id from revision where id = ${id}) order by created_at`,
  );
  const [first = '', ...last] = images.map(({ image }) => image);
  // Its container still drains.
  stage.health = { status: 'draining', in_flight: 1 };
  keep();
  await expect.poll(() => stage.needed?.images.has(first), patience).toBe(true);
  await stage.database.db.run(sql`delete from instance where revision_id = ${id}`);
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  keep();
  await expect.poll(() => stage.needed?.images.has(first), patience).toBe(false);
  expect([...(stage.needed?.images ?? [])]).toEqual(expect.arrayContaining(last));
  const building = Promise.withResolvers<void>();
  stage.duringBuild = async () => await building.promise;
  const pushed = await stage.push();
  await deploy(stage.parts, await stage.cast.caller('root'), { ref: pushed.ref, force: false });
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  keep();
  await expect.poll(() => stage.needed, patience).toBeUndefined();
  building.resolve();
});

test('the images of a deleted agent are checked in the next round, not after an hour', async () => {
  const { name } = await deployed();
  keep();
  // A deploy of an earlier test may still be ending. Then the next round decides.
  await expect.poll(() => stage.needed?.images.size ?? 0, { timeout: 40_000 }).toBeGreaterThan(0);
  const [image] = await stage.database.db.all<{ image: string }>(
    sql`select image from revision where agent_id = (select id from asset where name = ${name})`,
  );
  expect(stage.needed?.images).toContain(image?.image);
  await deleteAgent(stage.parts, await stage.cast.caller('root'), name);
  await expect.poll(() => stage.needed?.images.has(image?.image ?? ''), { timeout: 25_000 }).toBe(false);
}, 90_000);

test('a target that does not answer does not delay the sweep of the others', async () => {
  const kept = await deployed();
  const { targets } = stage;
  const silent = async () =>
    await Promise.reject(
      new Problem('engine_unavailable', { detail: 'The container engine does not answer (ENOENT)' }),
    );
  targets['dead'] = { ...targets.local, list: silent };
  const lost = '22222222-0000-4000-8000-000000000000';
  stage.containers.set(lost, {
    place: { container_id: lost },
    instance_id: lost,
    revision_id: lost,
    name: 'svc-lost',
    state: 'running',
    out_of_memory: false,
  });
  keep();
  await expect.poll(() => stateOf(lost), patience).toBeUndefined();
  expect(stateOf(kept.id)).toBe('running');
  delete targets['dead'];
});

test('a container without an instance or a running run is removed, and all others stay', async () => {
  const { id } = await deployed();
  const stranger = '11111111-0000-4000-8000-000000000000';
  stage.containers.set(stranger, {
    place: { container_id: stranger },
    instance_id: stranger,
    revision_id: stranger,
    name: 'svc-lost',
    state: 'running',
    out_of_memory: false,
  });
  stage.duringBuild = async () => await new Promise(() => {});
  const pushed = await stage.push();
  const underWay = await deploy(stage.parts, await stage.cast.caller('root'), { ref: pushed.ref, force: false });
  stage.containers.set(underWay.id, {
    place: { container_id: underWay.id },
    instance_id: underWay.id,
    revision_id: underWay.id,
    name: 'svc-under-way',
    state: 'created',
    out_of_memory: false,
  });
  keep();
  await expect.poll(() => stateOf(stranger), patience).toBeUndefined();
  expect(stateOf(id)).toBe('running');
  expect(stateOf(underWay.id)).toBe('created');
});
