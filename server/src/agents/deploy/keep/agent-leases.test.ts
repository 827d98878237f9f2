// Two services on one database: the parts of each have a pool, a name and leases of their own. The containers are the same.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { openDatabase, type Database } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { runEvents } from '../../../ground/runs/events.ts';
import { Fenced } from '../../../ground/runs/run.ts';
import { startWorker, type Worker } from '../../../ground/runs/worker.ts';
import { fixedTargets, openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { deploy } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import type { DeployParts } from '../parts.ts';
import type { Place, Target } from '../targets/target.ts';
import { agentConnections } from '../connections/agent-connections.ts';
import { openAgentLeases } from './agent-leases.ts';
import { startKeeper, type Keeper } from './keeper.ts';

let stage: DeployStage;
let worker: Worker;
let services: Service[] = [];
const errors: unknown[] = [];
const patience = { timeout: 30_000, interval: 50 };

beforeAll(async () => {
  stage = await openDeployStage();
  const kinds = { deploy: deployKind(stage.parts) };
  worker = await startWorker(stage.database.db, kinds, { owner: 'test', onError: (error) => errors.push(error) });
});
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()));
  services = [];
  await stage.database.db.run(sql`delete from instance`);
  stage.clear();
  expect(errors).toEqual([]);
});

interface Service {
  name: string;
  parts: DeployParts;
  keeper: Keeper;
  /** From now on neither the database nor the engine answers it, as for a killed process. Nothing is released. */
  kill(): void;
  revive(): void;
  /** From now on the engine does not answer it. */
  silence(): void;
  stop(): Promise<void>;
}

/** Each act on a container, with its service and the holder of the lease at that moment. */
interface Act {
  what: 'start' | 'ask';
  container_id: string;
  by: string;
  holder: string | undefined;
}
const acts: Act[] = [];

async function startService(name: string): Promise<Service> {
  let dead: PromiseWithResolvers<void> | undefined;
  let isSilent = false;
  const alive = async () => {
    if (dead === undefined) return;
    await dead.promise;
    throw new Error('it was killed');
  };
  const own = openDatabase(stage.database.connection);
  const target = (): Target => stage.targets.local;
  const act = async (what: Act['what'], place: Place) => {
    await alive();
    const container_id = String(place['container_id']);
    acts.push({ what, container_id, by: name, holder: await holderOf(container_id) });
  };
  const reached = async () => {
    await alive();
    if (isSilent) throw new Problem('engine_unavailable', { detail: 'The container engine does not answer' });
  };
  const db = mortal(own, alive);
  const local: Target = {
    ...target(),
    list: async () => (await reached(), await target().list()),
    observe: async (place) => (await reached(), await target().observe(place)),
    start: async (place, ...rest) => (await reached(), await act('start', place), await target().start(place, ...rest)),
    reach: async (place, url) => (await act('ask', place), await target().reach(place, url)),
  };
  const ignore = () => {}; // a killed process reports nothing
  const leases = openAgentLeases(db, { owner: name, onError: ignore });
  const connections = agentConnections();
  const parts: DeployParts = { ...stage.parts, db, leases, connections, targets: fixedTargets({ local }) };
  const keeper = startKeeper(parts, { onError: ignore });
  const service: Service = {
    name,
    parts,
    keeper,
    kill: () => void (dead = Promise.withResolvers()),
    revive: () => {
      dead?.resolve();
      dead = undefined;
    },
    silence: () => void (isSilent = true),
    stop: async () => {
      service.revive();
      await keeper.stop();
      await leases.stop();
      await connections.destroy();
      await own.close();
    },
  };
  services.push(service);
  return service;
}

function mortal(db: Database, alive: () => Promise<void>): Database {
  return {
    ...db,
    all: async <Row extends object>(...query: Parameters<Database['all']>) => (
      await alive(),
      await db.all<Row>(...query)
    ),
    one: async <Row extends object>(...query: Parameters<Database['one']>) => (
      await alive(),
      await db.one<Row>(...query)
    ),
    run: async (query) => (await alive(), await db.run(query)),
    transaction: async (...work) => (await alive(), await db.transaction(...work)),
    openPool: (settings) => mortal(db.openPool(settings), alive),
  };
}

async function holderOf(container_id: string): Promise<string | undefined> {
  const row = await stage.database.db.one<{ owner: string }>(sql`
    select h.owner from held_key h, revision v
    where h.key = 'agent:' || v.agent_id || ':local' and v.id = ${container_id} and h.lease_until >= clock_now()`);
  return row?.owner;
}

async function held(): Promise<Record<string, number>> {
  const rows = await stage.database.db.all<{ owner: string; agents: number }>(sql`
    select owner, count(*) as agents from held_key where key like 'agent:%' and lease_until >= clock_now() group by owner`);
  return Object.fromEntries(rows.map(({ owner, agents }) => [owner, agents]));
}

async function deployed(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { ref } = await stage.push();
    const { id } = await deploy(stage.parts, await stage.cast.caller('root'), { ref, force: false });
    for await (const _ of runEvents(stage.database.db, id, 0, AbortSignal.timeout(30_000)));
    ids.push(id);
  }
  return ids;
}

function crash(ids: readonly string[]): void {
  acts.length = 0;
  for (const id of ids) {
    const found = stage.containers.get(id);
    if (found !== undefined) stage.containers.set(id, { ...found, state: 'exited', exit_code: 137 });
  }
}

const down = (ids: readonly string[]) => ids.filter((id) => stage.containers.get(id)?.state !== 'running');
const startsOf = (id: string) => acts.filter(({ what, container_id }) => what === 'start' && container_id === id);
const ofOthers = () => acts.filter(({ by, holder }) => by !== holder);

test('two services keep twenty agents, each of them by one; the agents of a killed one are kept by the other within 8 s', async () => {
  const ids = await deployed(20);
  const one = await startService('one');
  await expect.poll(held, patience).toEqual({ one: 20 });
  const two = await startService('two');
  await expect.poll(held, patience).toEqual({ one: 10, two: 10 });

  crash(ids);
  await expect.poll(() => down(ids), patience).toEqual([]);
  expect(ids.map((id) => startsOf(id).length)).toEqual(ids.map(() => 1));
  expect(new Set(acts.map(({ by }) => by))).toEqual(new Set(['one', 'two']));

  one.kill();
  const killed_at = performance.now();
  await expect.poll(held, patience).toEqual({ two: 20 });
  const takeover_ms = performance.now() - killed_at;
  expect(takeover_ms).toBeLessThan(8000);
  await stage.database.db.run(sql`update instance set next_start_at = null`);
  crash(ids);
  await expect.poll(() => down(ids), patience).toEqual([]);
  expect(ids.map((id) => startsOf(id).map(({ by }) => by))).toEqual(ids.map(() => ['two']));

  // As a suspended process that continues: what it began is over, and it gets a share again.
  one.revive();
  await expect.poll(held, patience).toEqual({ one: 10, two: 10 });
  await stage.database.db.run(sql`update instance set next_start_at = null`);
  crash(ids);
  await expect.poll(() => down(ids), patience).toEqual([]);
  expect(ids.map((id) => startsOf(id).length)).toEqual(ids.map(() => 1));
  expect(ofOthers()).toEqual([]);
  await two.stop();
  services = [one];
  await expect.poll(held, patience).toEqual({ one: 20 });
}, 180_000);

test('agents whose engine is silent are unknown and not started, until a service that reaches it has their lease', async () => {
  const [id = ''] = await deployed(1);
  const one = await startService('one');
  await expect.poll(held, patience).toEqual({ one: 1 });
  const row = async () =>
    await stage.database.db.one<{ state: string | null; url: string; seen_at: string }>(
      sql`select state, url, seen_at from instance where revision_id = ${id}`,
    );
  const before = await row();
  expect(before).toMatchObject({ state: 'serving' });
  one.silence();
  crash([id]);
  await expect.poll(row, patience).toMatchObject({ state: null, url: before?.url });
  await expect.poll(held, patience).toEqual({});
  expect(await row()).toMatchObject({ state: null, url: before?.url });
  expect(down([id])).toEqual([id]);
  await startService('two');
  await expect.poll(() => down([id]), patience).toEqual([]);
  expect(await held()).toEqual({ two: 1 });
  expect(startsOf(id)).toMatchObject([{ by: 'two', holder: 'two' }]);
  await expect.poll(row, patience).toMatchObject({ state: 'serving' });
}, 90_000);

test('an operation interrupts the keeper and waits for its end; the keeper does nothing during an operation', async () => {
  const { leases } = stage.parts;
  const key = 'agent:of-this-test:local';
  const { signal } = new AbortController();
  await leases.share('local', [key]);
  const order: string[] = [];
  const keeping = leases.ifFree(key, signal, async (lease) => {
    await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
    order.push('the keeper ends');
    throw lease.signal.reason;
  });
  const fence = await leases.hold(key, signal, async (lease) => {
    order.push('the operation begins');
    expect(await leases.ifFree(key, signal, async () => 'it acts')).toBeUndefined();
    return lease.fence;
  });
  expect(await keeping).toBeUndefined();
  expect(order).toEqual(['the keeper ends', 'the operation begins']);
  expect(await leases.ifFree(key, signal, async (lease) => lease.fence)).toBe(fence);
});

test('an operation takes a free lease for its time, and waits while another process has it', async () => {
  const other = openAgentLeases(stage.database.db, { owner: 'other', onError: (error) => errors.push(error) });
  const key = 'agent:of-another-test:local';
  const { signal } = new AbortController();
  const end = Promise.withResolvers<void>();
  const first = other.hold(key, signal, async ({ fence }) => (await end.promise, fence));
  await expect.poll(held).toMatchObject({ other: 1 });
  const soon = AbortSignal.timeout(500);
  await expect(stage.parts.leases.hold(key, soon, async () => {})).rejects.toThrow(/timeout/);
  const second = stage.parts.leases.hold(key, signal, async ({ fence }) => fence);
  end.resolve();
  expect(await second).toBeGreaterThan(await first);
  expect(await held()).not.toHaveProperty('other');
  await other.stop();
});

test('work whose lease is lost ends before another process has it, and is fenced', async () => {
  const db = stage.database.db;
  const silent: Database = {
    ...db,
    openPool: (settings) => mortal(db.openPool(settings), async () => await new Promise(() => {})),
  };
  const lost = openAgentLeases(silent, { owner: 'lost', lease_ms: 1200, onError: () => {} });
  const key = 'agent:of-a-lost-lease:local';
  const next = openAgentLeases(db, { owner: 'next', onError: (error) => errors.push(error) });
  const { signal } = new AbortController();
  const ends: string[] = [];
  const work = lost.hold(key, signal, async (lease) => {
    await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
    ends.push('lost');
    throw new Error('the engine call was aborted');
  });
  const reason = work.catch((error: unknown) => error);
  await expect.poll(held, { interval: 10 }).toMatchObject({ lost: 1 });
  await next.hold(key, signal, async () => void ends.push('next'));
  expect(ends).toEqual(['lost', 'next']);
  expect(await reason).toBeInstanceOf(Fenced);
  await next.stop();
});
