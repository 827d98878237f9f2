import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operationSteps, type Deployment } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { revoke } from '../../approvals/revoke.ts';
import { sql } from '../../../ground/database/sql.ts';
import { runEvents } from '../../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../../ground/runs/worker.ts';
import { findAgent, findVersionById } from '../../../assets/registry/find.ts';
import { cutOff, openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { deploy } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import { showDeploy } from '../deployments/find-deploy.ts';
import * as instanceStore from '../instance-store.ts';
import { setSecret } from '../../../assets/secrets/set.ts';
import { agentStatus } from '../status/status.ts';
import { plan } from '../plan.ts';
import * as store from '../store.ts';
import { deleteAgent } from './delete.ts';
import { operationKinds } from './kinds.ts';
import { restart } from './restart.ts';
import { rollback } from './rollback.ts';
import { scale } from './scale.ts';
import { setDefaultTarget } from './set-default-target.ts';
import { start } from './start.ts';
import { stop } from './stop.ts';
import { isReturnable } from './warm.ts';

let stage: DeployStage;
let worker: Worker;
let errors: unknown[] = [];
const signal = AbortSignal.timeout(120_000);

beforeAll(async () => {
  stage = await openDeployStage();
  const { parts } = stage;
  const kinds = { deploy: deployKind(parts), ...operationKinds(parts) };
  worker = await startWorker(parts.db, kinds, {
    owner: parts.leases.owner,
    poll_ms: 50,
    onError: (error) => errors.push(error),
  });
});
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
});
beforeEach(() => stage.clear());
afterEach(() => {
  const met = errors;
  errors = [];
  if (met.length > 0) throw new AggregateError(met, 'the worker reported unexpected errors');
});

const root = async () => await stage.cast.caller('root');
const ask = async (ref: string) => await deploy(stage.parts, await root(), { ref, force: true });

async function ended({ id }: { id: string }): Promise<Deployment> {
  for await (const _ of runEvents(stage.parts.db, id, 0, signal));
  return await showDeploy(stage.parts.db, await root(), id);
}

async function deployed(): Promise<{ name: string; ref: string; id: string }> {
  const pushed = await stage.push();
  const { id, state } = await ended(await ask(pushed.ref));
  expect(state).toBe('done');
  return { ...pushed, id };
}

async function statusOf(name: string) {
  const asset = await findAgent(stage.parts.db, name, null);
  if (asset === undefined) throw new Error(`${name} is gone`);
  return await agentStatus(stage.parts, asset, signal);
}

/** Holds the next build until the returned function is called. */
function heldBuild() {
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  stage.duringBuild = async () => {
    enter();
    await held;
  };
  return { entered, release };
}

test('a stop waits for nobody: it cancels a running deploy, and the agent stays stopped', async () => {
  const { name, ref, id } = await deployed();
  const build = heldBuild();
  const redeploy = await ask(ref);
  await build.entered;
  // The stop ends only after the refused start.
  const { local } = stage.targets;
  const { promise: startAsked, resolve: letStopEnd } = Promise.withResolvers<void>();
  const original = local.stop;
  local.stop = async (place, options, ending) => {
    await Promise.race([startAsked, cutOff(ending ?? signal)]);
    await original(place, options, ending);
  };
  const stopping = await stop(stage.parts, await root(), name);
  expect(stopping).toMatchObject({ operation: 'stop', state: 'queued' });
  expect((await statusOf(name)).state).toBe('stopped');
  await expect(start(stage.parts, await root(), name)).rejects.toMatchObject({ code: 'deploy_running' });
  expect((await ended(redeploy)).state).toBe('cancelled');
  letStopEnd();
  expect(await ended(stopping)).toMatchObject({ state: 'done', steps: [{ name: 'stop', state: 'done' }] });
  build.release();
  expect(stage.containers.get(id)?.state).toBe('exited');
  expect((await ended(await start(stage.parts, await root(), name))).state).toBe('done');
  expect(await statusOf(name)).toMatchObject({ state: 'serving', revision: id });
});

test('a deploy that began before a stop that did not see it ends cancelled', async () => {
  const { name, ref, id } = await deployed();
  const build = heldBuild();
  const redeploy = await ask(ref);
  await build.entered;
  await stage.cast.write(
    'route',
    sql`update route set desired = 'stopped', stopped_at = clock_now() where revision_id = ${id} returning id`,
  );
  build.release();
  expect((await ended(redeploy)).state).toBe('cancelled');
  expect((await statusOf(name)).state).toBe('stopped');
});

test('the registry names the version of the default target only', async () => {
  const { targets } = stage;
  const { db } = stage.parts;
  targets['other'] = targets.local;
  const { name } = await stage.push({ version: '1.0.0' });
  const put = async (version: string, target: string) => {
    const asked = await deploy(stage.parts, await root(), { ref: `agents/${name}@${version}`, target, force: true });
    expect((await ended(asked)).state).toBe('done');
  };
  const serving = async () => {
    const asset = await findAgent(db, name, null);
    const version = asset?.serving_version_id ? await findVersionById(db, asset.serving_version_id) : undefined;
    return version?.version ?? null;
  };
  await put('1.0.0', 'local');
  await stage.push({ name, version: '2.0.0' });
  await put('2.0.0', 'other');
  expect(await serving()).toBe('1.0.0');
  await ended(await stop(stage.parts, await root(), name, 'other'));
  await ended(await start(stage.parts, await root(), name, 'other'));
  expect(await serving()).toBe('1.0.0');
  await setDefaultTarget(stage.parts, await root(), { name, target: 'other' });
  expect(await serving()).toBe('2.0.0');
  await ended(await stop(stage.parts, await root(), name));
  expect(await serving()).toBeNull();
  expect((await statusOf(name)).targets).toMatchObject([
    { target: 'other', version: '2.0.0', state: 'stopped', is_default: true },
    { target: 'local', version: '1.0.0', state: 'serving', is_default: false },
  ]);
  delete targets['other'];
});

test('a target that the service does not have is refused before the build', async () => {
  const { ref } = await stage.push();
  await expect(deploy(stage.parts, await root(), { ref, target: 'other', force: true })).rejects.toMatchObject({
    code: 'not_in_effect',
    detail: '`target`: This service has no target `other`. Its targets: local.',
  });
});

test('a restart replaces each instance by a new one that answers before the old one drains', async () => {
  const { name, id } = await deployed();
  const { targets } = stage;
  const { db } = stage.parts;
  const taking = async () => (await instanceStore.instancesOfRevision(db, id)).filter(instanceStore.takesCalls);
  const [before] = await taking();
  const original = targets.local.start;
  let atStart: string[] = [];
  targets.local.start = async (...given) => {
    atStart = (await taking()).filter(({ url }) => url !== null).map((row) => row.id);
    return await original(...given);
  };
  expect((await ended(await restart(stage.parts, await root(), name))).state).toBe('done');
  expect(atStart).toEqual([before?.id]);
  const [after, ...others] = await taking();
  expect([after?.id === before?.id, others]).toEqual([false, []]);
  expect(await statusOf(name)).toMatchObject({ state: 'serving', revision: id, draining: [id] });
});

test('a start behind a restart and a stop leaves an instance that still drains to its removal', async () => {
  const { name, id } = await deployed();
  await ended(await restart(stage.parts, await root(), name));
  const rows = await instanceStore.instancesOfRevision(stage.parts.db, id);
  expect(rows.map(({ seconds_draining }) => seconds_draining !== null)).toEqual([true, false]);
  expect((await ended(await stop(stage.parts, await root(), name))).state).toBe('done');
  const states = () => [...stage.containers.values()].map(({ state }) => state);
  expect(states()).toEqual(['exited', 'exited']);
  const { problem, state } = await ended(await start(stage.parts, await root(), name));
  expect({ state, problem }).toEqual({ state: 'done', problem: null });
  expect(states()).toEqual(['exited', 'running']);
});

test('a restart whose new instance does not start leaves the old one, and the log says why', async () => {
  const { name, id } = await deployed();
  stage.targets.local.start = async () => {
    throw new Problem('start_failed', { detail: 'It does not start.' });
  };
  const failed = await ended(await restart(stage.parts, await root(), name));
  expect(failed).toMatchObject({ state: 'failed', problem: { code: 'start_failed' } });
  expect(await statusOf(name)).toMatchObject({ state: 'serving', instances: [{ n: 1 }] });
  expect([...stage.containers.keys()]).toEqual([id]);
  const entries = await stage.parts.db.all<{ event: string }>(
    sql`select event from audit.entry where asset = ${`agents/${name}`}`,
  );
  expect(entries).toContainEqual({ event: 'agent.operation_failed' });
});

test('a delete waits for nobody, and the containers of the agent are removed behind it', async () => {
  const { name, ref } = await deployed();
  const build = heldBuild();
  const redeploy = await ask(ref);
  await build.entered;
  await deleteAgent(stage.parts, await root(), name);
  expect(await findAgent(stage.parts.db, name, null)).toBeUndefined();
  for await (const _ of runEvents(stage.parts.db, redeploy.id, 0, signal));
  await expect.poll(() => stage.containers.size, { timeout: 10_000 }).toBe(0);
  build.release();
});

/** Two versions after each other; the second serves. */
async function twice(yaml = '') {
  const [one] = [await stage.push({ version: '1.0.0', yaml })];
  if (yaml !== '') await stage.approve(one.ref);
  const first = await ended(await ask(one.ref));
  const two = await stage.push({ name: one.name, version: '2.0.0', yaml });
  if (yaml !== '') await stage.approve(two.ref);
  const second = await ended(await ask(two.ref));
  expect([first.state, second.state]).toEqual(['done', 'done']);
  return { name: one.name, first, second };
}

const back = async (name: string, wish: { to?: string; reason?: string } = {}) =>
  await ended(await rollback(stage.parts, await root(), { name }, wish));

test('a rollback returns to the content that ran before, with a new revision, and the log has the reason', async () => {
  const { name, first, second } = await twice();
  const { db } = stage.parts;
  const went = await back(name, { reason: 'wrong answers' });
  expect(went).toMatchObject({ operation: 'rollback', state: 'done', version: '1.0.0', digest: first.digest });
  expect(went.steps.map(({ name: step, state }) => `${step} ${state}`)).toEqual(
    operationSteps.rollback.map((step) => `${step} done`),
  );
  const status = await statusOf(name);
  expect(status).toMatchObject({ state: 'serving', ref: `agents/${name}@1.0.0`, revision: went.id });
  expect(status.rolled_back).toMatchObject({ from: '2.0.0', to: '1.0.0', by: went.actor, reason: 'wrong answers' });
  const [entry] = await db.all<{ detail: object }>(
    sql`select body::json -> 'detail' as detail from audit.entry where event = 'deploy.rolled_back' and asset = ${`agents/${name}`}`,
  );
  expect(entry?.detail).toMatchObject({ reason: 'wrong answers', to: first.id, replaced: second.id });
  // Back to what was rolled back, and by its version.
  expect((await back(name)).version).toBe('2.0.0');
  expect((await back(name, { to: '1.0.0' })).version).toBe('1.0.0');
  await expect(back(name, { to: '3.0.0' })).rejects.toMatchObject({ code: 'no_earlier_revision' });
});

test('a rollback needs the approval of that version and today’s role', async () => {
  const { name, first } = await twice();
  await expect(rollback(stage.parts, await stage.cast.caller('dora'), { name }, {})).rejects.toMatchObject({
    code: 'approval_required',
  });
  await expect(rollback(stage.parts, await stage.cast.caller('vera'), { name }, {})).rejects.toMatchObject({
    code: 'forbidden',
  });
  await stage.approve(first.ref);
  const went = await ended(await rollback(stage.parts, await stage.cast.caller('dora'), { name }, {}));
  expect(went).toMatchObject({ state: 'done', version: '1.0.0' });
});

describe('a warm revision', () => {
  beforeEach(() => (stage.parts.warm_ms = 60_000));
  afterEach(() => (stage.parts.warm_ms = 0));

  test('takes the calls again without a new container', async () => {
    const { name, first, second } = await twice();
    const provisioned = stage.provisioned;
    const went = await back(name);
    expect(stage.provisioned).toBe(provisioned);
    expect(await statusOf(name)).toMatchObject({ state: 'serving', revision: first.id, draining: [] });
    expect(went.endpoint).toContain(name);
    const [row] = await instanceStore.instancesOfRevision(stage.parts.db, second.id);
    expect(row?.is_warm).toBe(true);
    // The one before it is replaced by the third, and only finishes its calls.
    const third = await stage.push({ name, version: '3.0.0' });
    await ended(await ask(third.ref));
    const [ending] = await instanceStore.instancesOfRevision(stage.parts.db, second.id);
    expect(ending?.seconds_draining).not.toBeNull();
  });

  test.each([
    ['a dead container', async ({ first }: { first: Deployment }) => void stage.containers.delete(first.id)],
    [
      'a revoked key',
      async ({ first }: { first: Deployment }) => {
        const revision = await store.revision(stage.parts.db, first.id);
        await stage.cast.write(
          'gateway_key',
          sql`update gateway_key set revoked_at = clock_now() where id = ${revision?.key_id} returning id`,
        );
      },
    ],
  ])('is not used after %s: a new container starts', async (_, happens) => {
    const made = await twice();
    await happens(made);
    const provisioned = stage.provisioned;
    const went = await back(made.name);
    expect([went.state, stage.provisioned]).toEqual(['done', provisioned + 1]);
    expect((await statusOf(made.name)).revision).toBe(went.id);
  });

  test('is not used with an old value of a secret', async () => {
    const secrets = { ...stage.parts, stores: stage.parts.secret_stores, findUsers: store.secretUsers };
    const set = async () => await setSecret(secrets, await root(), { name: 'TOKEN', value: 'x', team: 'ml' });
    await set();
    const { name, first } = await twice('deploy: {secrets: [TOKEN]}\n');
    expect(await isReturnable(stage.parts.db, first.id)).toBe(true);
    await set();
    expect(await isReturnable(stage.parts.db, first.id)).toBe(false);
    const provisioned = stage.provisioned;
    expect((await back(name)).state).toBe('done');
    expect(stage.provisioned).toBe(provisioned + 1);
  });
});

test('an admin who goes back to a version with a revoked approval reads who revoked it and why', async () => {
  const { name, ref } = await stage.push({});
  const approval = await stage.approve(ref);
  await ended(await ask(ref));
  const next = await stage.push({ name, version: '2.0.0' });
  await ended(await ask(next.ref));
  expect((await back(name)).notices.join(' ')).not.toContain('revoked');
  await ended(await ask(next.ref));
  await revoke(stage.parts.db, await stage.cast.caller('max'), approval, 'it tells secrets');
  const said = /Its approval was revoked at \S+ by max@\S+: it tells secrets/;
  expect((await plan(stage.parts, await root(), { ref })).verdicts).toContainEqual({
    check: 'authorize',
    verdict: 'notice',
    detail: expect.stringMatching(said),
  });
  expect((await back(name)).notices.join(' ')).toMatch(said);
});

test('a redeploy starts as many instances as serve, and scale stays within the approved numbers', async () => {
  const yaml = 'deploy: {scaling: {min: 1, max: 3}}\n';
  const { name, ref } = await stage.push({ yaml });
  await stage.approve(ref);
  const { id } = await ended(await ask(ref));
  expect((await statusOf(name)).instances).toHaveLength(1);
  const grown = await ended(await scale(stage.parts, await root(), { name }, 3));
  expect([grown.operation, grown.state, grown.instances]).toEqual(['scale', 'done', 3]);
  expect(await statusOf(name)).toMatchObject({ detail: '3 of 3 instances answer.' });
  await expect(scale(stage.parts, await root(), { name }, 4)).rejects.toMatchObject({ code: 'outside_scaling' });
  const again = await ended(await ask(ref));
  expect((await statusOf(name)).instances).toHaveLength(3);
  expect(
    (await instanceStore.instancesOfRevision(stage.parts.db, id)).every((row) => row.seconds_draining !== null),
  ).toBe(true);
  await ended(await scale(stage.parts, await root(), { name }, 1));
  const rows = await instanceStore.instancesOfRevision(stage.parts.db, again.id);
  expect(rows.filter(instanceStore.takesCalls)).toHaveLength(1);
});
