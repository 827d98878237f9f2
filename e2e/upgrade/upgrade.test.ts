// An installation of the release before is upgraded to this one, with agents that serve, are warm, sleep and are stopped, and with open calls.
// No container is replaced by the upgrade. Those of the release before serve until a deploy, a rollback or a restart replaces them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../server/src/ground/database/sql.ts';
import { ended, serving } from '../api.ts';
import { agentContainers, signalsTo, type AgentContainer } from './containers.ts';
import { at_rest, openOldInstallation, states, type OldInstallation } from './old-installation.ts';
import { installReleaseBefore, type Release } from './release-before.ts';
import { steadyClient, type SteadyClient } from './steady-client.ts';

const sigusr1 = '10';
/** A call that is longer than a deploy. */
const deploy_call_seconds = 30;
const patience = { timeout: 60_000, interval: 100 };

let release: Release;
beforeAll(async () => {
  release = await installReleaseBefore();
}, 900_000);
afterAll(async () => await release?.remove());

describe.each(['SIGTERM', 'SIGKILL'] as const)(
  'an installation of the release before, ended by %s, upgrades',
  (end) => {
    let old: OldInstallation;
    let prober: SteadyClient;
    /** Its one call is open during the upgrade. */
    let waiter: SteadyClient;
    let before: AgentContainer[];
    let head: string;
    let isClosed = false;
    const close = async () => {
      if (!isClosed) await old?.close();
      isClosed = true;
    };

    beforeAll(async () => {
      old = await openOldInstallation(release.directory);
      prober = steadyClient(old.agent('prober'));
      waiter = steadyClient(old.agent('prober'));
      before = await agentContainers(old.engine);
      ({ head } = await old.admin.call('audit.verify', { query: {} }));
    }, 600_000);
    afterAll(close);

    test('with its open calls: every one ends with its value, none begins twice, and every container goes on', async () => {
      expect(before.map(({ agent, isRunning }) => `${agent} ${isRunning ? 'runs' : 'is stopped'}`).toSorted()).toEqual(
        old_containers,
      );
      expect(await hasPlacements()).toBe(false);
      await old.beginDeploy();
      const before_all = await unfinished();
      const waiting = waiter.call({ do: 'wait', value: 'kept' });
      const detached = prober.call({ do: 'wait', value: 'detached' }, { prefer: 'respond-async' });
      await expect.poll(unfinished, patience).toBe(before_all + 2);
      let goesOn = true;
      let echoes = 0;
      const calling = (async () => {
        while (goesOn) {
          expect(await prober.call({ do: 'echo', value: echoes })).toBe(echoes);
          echoes += 1;
        }
      })();
      await expect.poll(() => echoes, { interval: 20 }).toBeGreaterThan(3);
      // A service that stops lets it end. A killed one cannot.
      const stream = end === 'SIGTERM' ? await beginStream({ do: 'sleep', value: 2 }) : undefined;

      await old.upgrade(end);
      const before_new_ones = echoes;
      await expect.poll(() => echoes, patience).toBeGreaterThan(before_new_ones + 20);
      goesOn = false;
      await calling;
      expect(await hasPlacements()).toBe(true);
      expect((await agentContainers(old.engine)).filter((one) => !isOf('late')(one))).toEqual(before);
      expect(await states(old.admin)).toEqual(at_rest);
      await prober.call({ do: 'open' });
      expect(await Promise.all([waiting, detached])).toEqual(['kept', 'detached']);
      if (end === 'SIGTERM') expect(waiter.statuses).toEqual(new Set([202, 200]));
      if (stream !== undefined) expect(await stream.last).toBe('RUN_FINISHED');
      expect(await unfinished()).toBe(before_all + (stream === undefined ? 0 : 1));
      expect(prober.statuses).toEqual(new Set([200, 202]));
    });

    test('with a deploy under way: it continues in the next release, and ends deployed', async () => {
      expect(await ended(old.admin, 'late')).toMatchObject({ state: 'done', problem: null });
      const asked = await old.agent('late').ask({ said: 'on time' });
      expect(asked).toMatchObject({ status: 200, json: { output: { said: 'on time' } } });
    });

    test('with its sleeping agent: a call wakes it', async () => {
      const asked = await old.agent('sleeper').ask({ said: 'awake' });
      expect(asked).toMatchObject({ status: 200, json: { output: { said: 'awake' } } });
      expect(await states(old.admin)).toMatchObject({ sleeper: 'serving' });
    });

    test('with its stopped agent: a start serves it from the same image', async () => {
      await old.admin.call('agents.start', { params: { name: 'halted' }, query: {} });
      await serving(old.admin, 'halted');
      const asked = await old.agent('halted').ask({ said: 'back' });
      expect(asked).toMatchObject({ status: 200, json: { output: { said: 'back' } } });
      expect((await agentContainers(old.engine)).find(isOf('halted'))).toMatchObject({
        image: before.find(isOf('halted'))?.image,
        isRunning: true,
      });
    });

    test('with its warm revision: a rollback returns to its container, and the replaced one drains by a signal', async () => {
      const { warm, served } = await oldContainers();
      await replaced(served, async () => {
        await old.admin.call('agents.rollback', { params: { name: 'prober' }, query: {}, body: {} });
        expect(await ended(old.admin, 'prober')).toMatchObject({ state: 'done', problem: null });
      });
      expect(await runningProbers()).toEqual([warm]);
      expect(await prober.call({ do: 'revision' })).toBe('first');
    });

    test('with its images: a rollback starts a new container from the old image', async () => {
      const { warm, served } = await oldContainers();
      await replaced(warm, async () => {
        const body = { to: '1.1.0' };
        await old.admin.call('agents.rollback', { params: { name: 'prober' }, query: {}, body });
        expect(await ended(old.admin, 'prober')).toMatchObject({ state: 'done', problem: null });
      });
      const [now, ...others] = await runningProbers();
      expect(others).toEqual([]);
      expect(now?.id).not.toBe(served.id);
      expect(now?.image).toBe(served.image);
      expect(await prober.call({ do: 'revision' })).toBe('second');
    });

    test('with its containers: a deploy replaces one, which drains by a signal, and the new one drains by a request', async () => {
      const [from_old_image] = await runningProbers();
      if (from_old_image === undefined) throw new Error('prober has no container');
      await replaced(from_old_image, async () => await old.deployProber('1.2.0', 'third'), deploy_call_seconds);
      expect(await prober.call({ do: 'revision' })).toBe('third');
      const [from_new_image] = await runningProbers();
      expect(from_new_image?.image).not.toBe(from_old_image.image);

      const since = new Date();
      await old.admin.call('agents.restart', { params: { name: 'prober' }, query: {} });
      await expect
        .poll(async () => (await runningProbers()).map(({ id }) => id), patience)
        .not.toContain(from_new_image?.id);
      expect(await signalsTo(old.engine, from_new_image?.id ?? '', since)).not.toContain(sigusr1);
      await serving(old.admin, 'prober');
      expect(prober.statuses).toEqual(new Set([200, 202]));
    });

    test('with its audit log: it verifies from the head of before, and the service has logged no error', async () => {
      const { verdict, damage } = await old.admin.call('audit.verify', { query: { head } });
      expect({ verdict, damage }).toEqual({ verdict: 'true_as_anchored', damage: [] });
      expect(await old.errors()).toEqual([]);
    });

    test('and its removal leaves nothing in the engine', async () => {
      await close();
      const { docker, installation_id } = old.engine;
      const filters = { label: [`gantry.installation=${installation_id}`] };
      const { Volumes } = await docker.listVolumes({ filters: JSON.stringify(filters) });
      expect({
        containers: await docker.listContainers({ all: true, filters }),
        images: await docker.listImages({ filters }),
        networks: await docker.listNetworks({ filters }),
        volumes: Volumes ?? [],
      }).toEqual({ containers: [], images: [], networks: [], volumes: [] });
    });

    /** What the container has begun, without the calls that have a result here: the open ones, and a constant. */
    const unfinished = async () => {
      const { begun } = (await prober.call({ do: 'calls' })) as { begun: number };
      return begun - prober.calls() - waiter.calls();
    };

    const hasPlacements = async () =>
      (await old.services.db.one<{ is: boolean }>(sql`select to_regclass('placement') is not null as is`))?.is;

    /** Returns when its run has begun. */
    const beginStream = async (input: object) => {
      const events = await old.agent('prober').stream(input);
      const first = await events.next();
      expect(first.value).toMatchObject({ type: 'RUN_STARTED' });
      const read = async () => {
        let last = '';
        for await (const { type } of events) last = type;
        return last;
      };
      return { last: read() };
    };

    const runningProbers = async () =>
      (await agentContainers(old.engine)).filter((one) => isOf('prober')(one) && one.isRunning);

    /** Those of prober before the upgrade. The engine started the warm one first. */
    const oldContainers = async () => {
      const [warm, served] = before
        .filter(isOf('prober'))
        .toSorted((one, other) => one.started_at.localeCompare(other.started_at));
      if (warm === undefined || served === undefined) throw new Error('prober had no warm revision');
      return { warm, served };
    };

    /** The container finishes a call that it has, gets the signal, and is removed. */
    async function replaced(container: AgentContainer, replace: () => Promise<void>, call_seconds = 12): Promise<void> {
      expect((await runningProbers()).map(({ id }) => id)).toContain(container.id);
      const since = new Date();
      const before_it = await unfinished();
      const sleeping = prober.call({ do: 'sleep', value: call_seconds });
      await expect.poll(unfinished, patience).toBe(before_it + 1);
      await replace();
      expect(await sleeping).toBe(call_seconds);
      const ids = async () => (await agentContainers(old.engine)).map(({ id }) => id);
      await expect.poll(ids, patience).not.toContain(container.id);
      expect(await signalsTo(old.engine, container.id, since)).toContain(sigusr1);
    }
  },
);

/** The second one of prober is warm. The one of the agent that sleeps is gone. */
const old_containers = ['halted is stopped', 'prober runs', 'prober runs'];

const isOf = (name: string) => (one: AgentContainer) => one.agent === name;
