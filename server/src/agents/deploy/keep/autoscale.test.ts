import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runEvents } from '../../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../../ground/runs/worker.ts';
import { findAgent } from '../../../assets/registry/find.ts';
import { openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { openWorkerErrors } from '../../../testing/worker-errors.ts';
import { deploy } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import { deployMutex } from '../deploy-run.ts';
import * as instanceStore from '../instance-store.ts';
import { agentStatus } from '../status/status.ts';
import { autoscale, type ScalingMemory } from './autoscale.ts';
import { openCalls } from './open-calls.ts';

let stage: DeployStage;
let worker: Worker;
const errors = openWorkerErrors();
const signal = AbortSignal.timeout(60_000);

beforeAll(async () => {
  stage = await openDeployStage();
  const { parts } = stage;
  const { onError } = errors;
  worker = await startWorker(parts.db, { deploy: deployKind(parts) }, { owner: parts.leases.owner, onError });
});
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
  errors.expectNone();
});
beforeEach(() => stage.clear());

async function deployed(yaml: string): Promise<{ name: string; id: string }> {
  const { name, ref } = await stage.push({ yaml });
  await stage.approve(ref);
  const { id } = await deploy(stage.parts, await stage.cast.caller('root'), { ref, force: false });
  for await (const _ of runEvents(stage.parts.db, id, 0, signal));
  return { name, id };
}

/** One turn of the keeper under this load. Returns the number of instances that take calls afterwards. */
async function turn(
  id: string,
  cpu_percent: number | undefined,
  memory: ScalingMemory = new Map(),
  { idle_ms = 0, open = openCalls() } = {},
): Promise<number> {
  const { parts } = stage;
  const taking = async () => (await instanceStore.instancesOfRevision(parts.db, id)).filter(instanceStore.takesCalls);
  const rows = await taking();
  const [row] = rows;
  if (row === undefined) throw new Error('no instance');
  const use = { note: () => {}, percentOf: () => cpu_percent, keepOnly: () => {} };
  await parts.leases.hold(deployMutex(row), signal, async (lease) => {
    await autoscale(
      parts,
      { use, idle: { note: () => {}, idleMs: () => idle_ms, keepOnly: () => {} }, open, memory, rows },
      lease,
    );
  });
  return (await taking()).length;
}

async function statusOf(name: string) {
  const asset = await findAgent(stage.parts.db, name, null);
  if (asset === undefined) throw new Error(`${name} is gone`);
  return await agentStatus(stage.parts, asset, signal);
}

test('load adds instances up to max, and five calm minutes remove one', async () => {
  const { name, id } = await deployed('deploy: {scaling: {min: 1, max: 3, target_cpu: 50}}\n');
  expect(await turn(id, 49)).toBe(1);
  expect(await turn(id, 100)).toBe(2);
  expect(await turn(id, 100)).toBe(3);
  expect(await turn(id, 100)).toBe(3);
  expect(await statusOf(name)).toMatchObject({ state: 'serving', detail: '3 of 3 instances answer.' });
  const [first] = await instanceStore.instancesOfRevision(stage.parts.db, id);
  const key = `${first?.agent_id} local`;
  const calm = () => new Map([[key, { calm_since: performance.now() - 301_000 }]]);
  const memory: ScalingMemory = calm();
  expect(await turn(id, 1, memory)).toBe(2);
  expect(await turn(id, 1, memory)).toBe(2);
  expect(await turn(id, 1, new Map())).toBe(2);
  expect(await turn(id, 1, calm())).toBe(1);
  expect(await turn(id, 1, calm())).toBe(1);
});

test('calls that wait add instances without a use of the processor; a burst between two looks does not', async () => {
  const { id } = await deployed('deploy: {scaling: {max: 3}, concurrency: 4}\n');
  const open = openCalls();
  const [first] = await instanceStore.instancesOfRevision(stage.parts.db, id);
  const see = (in_flight: number) => open.note(first?.id ?? '', { status: 'ready', in_flight, concurrency: 4 });
  for (const in_flight of [0, 24]) see(in_flight);
  expect(await turn(id, undefined, new Map(), { open })).toBe(1);
  see(24);
  expect(await turn(id, undefined, new Map(), { open })).toBe(2);
  expect(await turn(id, undefined, new Map(), { open })).toBe(3);
  expect(await turn(id, undefined, new Map(), { open })).toBe(3);
});

test('with min 0 the last container is removed after the calm time of the service without calls', async () => {
  const { name, id } = await deployed('deploy: {scaling: {min: 0}}\n');
  const { calm_before_removal_ms } = stage.parts;
  expect(await turn(id, 0, new Map(), { idle_ms: calm_before_removal_ms - 1 })).toBe(1);
  expect(await statusOf(name)).toMatchObject({ state: 'serving' });
  expect(await turn(id, 0, new Map(), { idle_ms: calm_before_removal_ms })).toBe(0);
  expect(await statusOf(name)).toMatchObject({ state: 'asleep', detail: 'The next call starts it.', instances: [] });
});

test('without memory for another container none starts, and the status says so until there is', async () => {
  const { name, id } = await deployed('deploy: {scaling: {max: 2}, resources: {memory: 1Gi}}\n');
  stage.room = { memory_bytes: 10 * 2 ** 30, used_bytes: 7.5 * 2 ** 30 };
  expect(await turn(id, 100)).toBe(1);
  expect((await statusOf(name)).no_room).toBe(
    'It needs 1.0 GiB for another container, and its target has 0.5 GiB left.',
  );
  stage.room = { memory_bytes: 10 * 2 ** 30, used_bytes: 7 * 2 ** 30 };
  expect(await turn(id, 100)).toBe(2);
  expect(await turn(id, 10)).toBe(2);
  expect((await statusOf(name)).no_room).toBeNull();
});
