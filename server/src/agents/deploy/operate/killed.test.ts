// A worker that dies at a step of a rollback or a scale. e2e/soak/crash-points.test.ts kills a whole service at each of these points.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { operationSteps, type Deployment } from '@gantry/contract/agents/deploy.ts';
import { sql } from '../../../ground/database/sql.ts';
import { runEvents } from '../../../ground/runs/events.ts';
import type { RunKinds } from '../../../ground/runs/run.ts';
import { startWorker, type Worker } from '../../../ground/runs/worker.ts';
import { findAgent } from '../../../assets/registry/find.ts';
import { openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { dyingAt } from '../../../testing/killed/dying-kind.ts';
import { deploy } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import { showDeploy } from '../deployments/find-deploy.ts';
import { agentStatus } from '../status/status.ts';
import { operationKinds } from './kinds.ts';
import { rollback, rollbackKind } from './rollback.ts';
import { scale, scaleKind } from './scale.ts';

let stage: DeployStage;
let workers: Worker[] = [];
let errors: unknown[] = [];

beforeAll(async () => {
  stage = await openDeployStage();
});
afterAll(async () => await stage?.close());
beforeEach(() => stage.clear());
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
  const met = errors;
  errors = [];
  if (met.length > 0) throw new AggregateError(met, 'the worker reported unexpected errors');
});

const root = async () => await stage.cast.caller('root');

async function work(more: RunKinds = {}): Promise<Worker> {
  const { parts } = stage;
  const worker = await startWorker(
    parts.db,
    { deploy: deployKind(parts), ...operationKinds(parts), ...more },
    { owner: parts.leases.owner, poll_ms: 50, onError: (error) => errors.push(error) },
  );
  workers.push(worker);
  return worker;
}

async function ended({ id }: { id: string }): Promise<Deployment> {
  for await (const _ of runEvents(stage.parts.db, id, 0, AbortSignal.timeout(20_000)));
  return await showDeploy(stage.parts.db, await root(), id);
}

/** Two versions, of which the second serves. */
async function twoVersions(yaml: string): Promise<string> {
  const worker = await work();
  const { name } = await stage.push({ yaml });
  await stage.push({ name, version: '2.0.0', yaml });
  for (const version of ['1.0.0', '2.0.0']) {
    const ref = `agents/${name}@${version}`;
    await stage.approve(ref);
    expect(await ended(await deploy(stage.parts, await root(), { ref, force: true }))).toMatchObject({ state: 'done' });
  }
  await worker.stop();
  workers = [];
  return name;
}

async function statusOf(name: string) {
  const asset = await findAgent(stage.parts.db, name, null);
  if (asset === undefined) throw new Error(`${name} is gone`);
  return await agentStatus(stage.parts, asset, AbortSignal.timeout(10_000));
}

const entriesOf = async (name: string, event: string) =>
  (await stage.parts.db.all(sql`select from audit.entry where event = ${event} and asset = ${`agents/${name}`}`))
    .length;

/** Asks for the operation with a worker that dies, and then lets another one end it. */
async function killedAt(kinds: RunKinds, reached: Promise<void>, ask: () => Promise<{ id: string }>) {
  const dying = await work(kinds);
  const asked = await ask();
  await reached;
  await dying.stop();
  workers = [];
  await work();
  return await ended(asked);
}

const scaling = 'deploy: {scaling: {min: 1, max: 3}}\n';

test.each(operationSteps.rollback)(
  'after a crash between the work of the %s step and its record, a rollback continues to its end',
  async (trap) => {
    const name = await twoVersions('');
    const { kind, reached } = dyingAt(rollbackKind(stage.parts), trap);
    const went = await killedAt({ rollback: kind }, reached, async () => {
      return await rollback(stage.parts, await root(), { name }, {});
    });
    expect(went).toMatchObject({ operation: 'rollback', state: 'done', version: '1.0.0', problem: null });
    expect(await statusOf(name)).toMatchObject({ state: 'serving', ref: `agents/${name}@1.0.0`, revision: went.id });
    expect([...stage.containers.values()].filter(({ revision_id }) => revision_id === went.id)).toHaveLength(1);
    expect(await entriesOf(name, 'deploy.rolled_back')).toBe(1);
  },
);

test.each(operationSteps.scale)(
  'after a crash between the work of the %s step and its record, a scale adds its instances once',
  async (trap) => {
    const name = await twoVersions(scaling);
    const { kind, reached } = dyingAt(scaleKind(stage.parts), trap);
    const grown = await killedAt({ scale: kind }, reached, async () => {
      return await scale(stage.parts, await root(), { name }, 3);
    });
    expect(grown).toMatchObject({ operation: 'scale', state: 'done', problem: null });
    const { instances, revision } = await statusOf(name);
    expect(instances).toHaveLength(3);
    expect([...stage.containers.values()].filter(({ revision_id }) => revision_id === revision)).toHaveLength(3);
    expect(await entriesOf(name, 'agent.scaled')).toBe(1);
  },
);
