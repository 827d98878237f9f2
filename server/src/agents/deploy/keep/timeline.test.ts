// What the service does with containers by itself: the agent's timeline, the alert of a crash loop, and the state during a rebuild.
import { findReach } from '../targets/index.ts';
import type { AgentEvent } from '@gantry/contract/agents/agent-events.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { answeringRevision } from '../../invoke/admit.ts';
import { tell } from '../../../telling/notifications/tell.ts';
import { findAgent } from '../../../assets/registry/find.ts';
import { runEvents } from '../../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../../ground/runs/worker.ts';
import { openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { deploy } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import { lastEnd } from '../event-store.ts';
import { instanceId } from '../instance-name.ts';

import { listEvents } from '../list-events.ts';
import { operationKinds } from '../operate/kinds.ts';
import { stop } from '../operate/stop.ts';
import { servingAgents } from '../serving/serving.ts';
import { agentStatus, listStatuses } from '../status/status.ts';
import { endCrashLoops } from './crash-loop.ts';
import { startKeeper, type Keeper } from './keeper.ts';

let stage: DeployStage;
let worker: Worker;
let keeper: Keeper | undefined;
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
  errors = [];
  keeper = startKeeper(stage.parts, { onError: (error) => errors.push(error), look_every_ms: 100, hung_after_ms: 0 });
});
afterEach(async () => {
  await keeper?.stop();
  if (errors.length > 0) throw new AggregateError(errors, 'a part reported unexpected errors');
});

const root = async () => await stage.cast.caller('root');

async function deployed(name?: string, version = '1.0.0'): Promise<{ name: string; id: string }> {
  const pushed = await stage.push({ ...(name !== undefined && { name }), version });
  const { id } = await deploy(stage.parts, await root(), { ref: pushed.ref, force: false });
  for await (const _ of runEvents(stage.database.db, id, 0, signal));
  // It is no fresh deploy any more.
  await stage.database.db.run(sql`update run set ended_at = ended_at - interval '1 hour' where id = ${id}`);
  return { name: pushed.name, id };
}

function crash(id: string, { out_of_memory = false, exit_code = 1 } = {}): void {
  const found = stage.containers.get(id);
  if (found !== undefined) stage.containers.set(id, { ...found, state: 'exited', exit_code, out_of_memory });
}

async function eventsOf(name: string): Promise<AgentEvent[]> {
  return (await listEvents(stage.parts, await root(), { name, limit: 50 })).items;
}

const said = async (name: string) =>
  (await eventsOf(name)).map(({ kind, reason }) => (reason === null ? kind : `${kind} ${reason}`)).toReversed();

async function statusOf(name: string) {
  const asset = await findAgent(stage.database.db, name, null);
  if (asset === undefined) throw new Error(`${name} is gone`);
  return await agentStatus(stage.parts, asset, signal);
}

test('each end of a container is on the timeline once, with its reason; the end of an instance stays known', async () => {
  const { name, id } = await deployed();
  const { db } = stage.database;
  const instance_id = instanceId({ revision_id: id, n: 1 });
  expect(await lastEnd(db, instance_id, 60)).toBeUndefined();
  crash(id, { exit_code: 137, out_of_memory: true });
  await expect.poll(() => said(name), patience).toEqual(['ended out_of_memory', 'started']);
  expect(await lastEnd(db, instance_id, 60)).toMatchObject({
    reason: 'out_of_memory',
    detail: 'The container exited with code 137 because it ran out of memory.',
  });
  stage.containers.delete(id);
  await expect.poll(() => said(name), patience).toEqual(expect.arrayContaining(['ended removed']));
  await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving', restarts: 2 });
  stage.health = undefined;
  const stopped = stage.targets.local.stop;
  stage.targets.local.stop = async (...given) => {
    await stopped(...given);
    stage.health = { status: 'ready', in_flight: 0 };
  };
  await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving', restarts: 3 });
  await stop(stage.parts, await root(), name);
  await expect.poll(() => said(name), patience).toHaveLength(8);
  const ends = (await said(name)).filter((one) => one.startsWith('ended'));
  expect(ends).toEqual(['ended out_of_memory', 'ended removed', 'ended hang', 'ended stopped']);
  const first = await listEvents(stage.parts, await root(), { name, limit: 1 });
  expect(first.items).toMatchObject([{ reason: 'stopped', target: 'local', revision: id, instance: 1 }]);
  const next = await listEvents(stage.parts, await root(), { name, limit: 50, cursor: first.next_cursor });
  expect([...first.items, ...next.items]).toEqual(await eventsOf(name));
});

test('a restart that does not become ready counts as a restart, and three crashes are one alert until the agent is steady', async () => {
  const { name, id } = await deployed();
  const { db } = stage.database;
  const { local } = stage.targets;
  const { start } = local;
  let attempts = 0;
  local.start = async (...given) => {
    attempts += 1;
    if (attempts <= 3) throw new Problem('start_failed', { detail: `Attempt ${attempts} failed.` });
    return await start(...given);
  };
  const alerts = async () =>
    await db.all<{ event: string; detail: { what: string } }>(sql`
      select body::jsonb ->> 'event' as event, body::jsonb -> 'detail' as detail from audit.entry
      where body::jsonb ->> 'asset' = ${`agents/${name}`} and body::jsonb ->> 'event' in ('agent.crashing', 'agent.steady') order by seq`);
  crash(id);
  await expect.poll(() => statusOf(name), patience).toMatchObject({ state: 'serving', restarts: 4 });
  const failed = 'start_failed start_failed';
  expect(await said(name)).toEqual(['ended exited', failed, failed, 'crashing', failed, 'started']);
  expect(await alerts()).toMatchObject([
    {
      event: 'agent.crashing',
      detail: {
        what: 'A container of 1.0.0 ended or did not start 3 times within 10 minutes, at last with start_failed',
      },
    },
  ]);
  await endCrashLoops(db);
  await db.run(sql`update agent_event set at = at - interval '11 minutes'`);
  await expect
    .poll(async () => (await alerts()).map(({ event }) => event), patience)
    .toEqual(['agent.crashing', 'agent.steady']);
  while (await tell(db, { mail: false, onError: (error) => errors.push(error) }));
  const told = await db.all<{ email: string; kind: string }>(sql`
    select u.email, n.kind from notification n join app_user u on u.id = n.user_id where n.account = ${`agents/${name}`} order by 1, n.seq`);
  expect(told.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['agent_crashing', 'agent_steady']));
  expect(new Set(told.map(({ email }) => email.split('@')[0]))).toEqual(new Set(['ada', 'max']));
});

test('the first crash soon after a deploy is an alert with the command that goes back', async () => {
  const { name } = await deployed();
  const { id } = await deployed(name, '2.0.0');
  const { db } = stage.database;
  await db.run(sql`update run set ended_at = clock_now() where id = ${id}`);
  crash(id);
  await expect.poll(() => said(name), patience).toEqual(['ended exited', 'crashing', 'started']);
  while (await tell(db, { mail: false, onError: (error) => errors.push(error) }));
  const [told] = await db.all<{ words: string }>(
    sql`select words from notification where account = ${`agents/${name}`}`,
  );
  expect(told?.words).toBe(
    `A container of 2.0.0 ended or did not start once within 60 s of its deploy, at last with exited; svc rollback ${name} returns to 1.0.0`,
  );
});

test('while an image is built again, the list, the status and the refusal of a call say so with the same time', async () => {
  const { name, id } = await deployed();
  const { db } = stage.database;
  const building = Promise.withResolvers<void>();
  stage.duringBuild = async () => await building.promise;
  stage.lost.add((await db.one<{ digest: string }>(sql`select digest from revision where id = ${id}`))?.digest ?? '');
  stage.containers.delete(id);
  await expect.poll(() => said(name), patience).toEqual(['ended removed', 'rebuilding']);
  const [row] = await db.all<{ rebuilding_since: string }>(sql`select rebuilding_since from instance`);
  const detail = `Its image is being rebuilt since ${row?.rebuilding_since}.`;
  // Longer than the limit of a start.
  await db.run(sql`update instance set seen_at = seen_at - interval '1 hour'`);
  expect(await statusOf(name)).toMatchObject({ state: 'starting', detail });
  const { items } = await listStatuses(stage.parts, await root(), { limit: 200, state: 'starting' });
  expect(items.find((one) => one.name === name)).toMatchObject({ state: 'starting', detail });
  const asset = await findAgent(db, name, null);
  const { serving } = await servingAgents({ ...stage.parts, readAsOf: never, findReach: findReach() }).member(
    { id: '00000000-0000-4000-8000-000000000000' },
    asset?.id ?? '',
  );
  if (asset === undefined || serving === undefined) throw new Error(`${name} does not serve`);
  expect(() => answeringRevision(asset, serving)).toThrow(
    expect.objectContaining({ detail: `The image of agents/${name} is being rebuilt since ${row?.rebuilding_since}.` }),
  );
  stage.lost.clear();
  building.resolve();
  await expect.poll(() => said(name), patience).toEqual(['ended removed', 'rebuilding', 'rebuilt', 'started']);
  expect(await statusOf(name)).toMatchObject({ state: 'serving' });
});

const never = async () => await Promise.reject(new Error('no call is admitted here'));
