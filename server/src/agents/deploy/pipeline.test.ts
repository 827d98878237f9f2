import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { deploySteps, type Deployment, type DeployStep } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../ground/database/sql.ts';
import { runEvents } from '../../ground/runs/events.ts';
import { findRun, type RunKind } from '../../ground/runs/run.ts';
import { startWorker, type Worker } from '../../ground/runs/worker.ts';
import { emailOf, type Cast, type Person } from '../../testing/access/cast.ts';
import { openDeployStage, type DeployStage } from '../../testing/agents/deploy-stage.ts';
import { dyingAt } from '../../testing/killed/dying-kind.ts';
import type { TestProject } from '../../testing/pushes/project-archive.ts';
import type { TestDatabase } from '../../testing/test-database.ts';
import { closePending } from '../approvals/approval-for.ts';
import { create } from '../../assets/registry/assets/create.ts';
import { deleteAsset } from '../../assets/registry/assets/delete.ts';
import { usedBy } from '../../assets/registry/references/in-use.ts';
import { transfer, type MoveKeys } from '../../assets/registry/ownership/transfer.ts';
import { cancel } from './operate/cancel.ts';
import { deleteAgent } from './operate/delete.ts';
import { findNamedUsers } from './named-users.ts';
import { removeTargetRows } from './targets/named/remove-rows.ts';
import { moveRevisionKeys } from './revision-key.ts';
import { listArtefacts } from './artefacts.ts';
import { instancesOfRevision } from './instance-store.ts';
import { operationKinds } from './operate/kinds.ts';
import { stop } from './operate/stop.ts';
import { deploy } from './deploy.ts';
import { deployKind } from './deploy-kind.ts';
import type { DeployInput } from './deploy-run.ts';
import { showDeploy } from './deployments/find-deploy.ts';
import type { DeployParts } from './parts.ts';
import * as store from './store.ts';
import { rules } from '../../testing/pushes/rules.ts';

let stage: DeployStage;
let database: TestDatabase;
let cast: Cast;
let parts: DeployParts;
let workers: Worker[] = [];
let errors: unknown[] = [];

beforeAll(async () => {
  stage = await openDeployStage();
  ({ database, cast, parts } = stage);
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

const pushed = async (project?: TestProject) => await stage.push(project);
const approved = async (ref: string) => await stage.approve(ref);

async function work(kind: RunKind<DeployInput> = deployKind(parts)): Promise<Worker> {
  const worker = await startWorker(
    database.db,
    { deploy: kind, ...operationKinds(parts) },
    { owner: 'test', poll_ms: 50, onError: (error) => errors.push(error) },
  );
  workers.push(worker);
  return worker;
}

const ask = async (person: Person, ref: string) =>
  await deploy(parts, await cast.caller(person), { ref, force: false });

async function ended({ id }: { id: string }): Promise<Deployment> {
  for await (const _ of runEvents(database.db, id, 0, AbortSignal.timeout(20_000)));
  return await showDeploy(database.db, await cast.caller('root'), id);
}

async function waitForStep({ id }: { id: string }, step: DeployStep): Promise<void> {
  for await (const { data } of runEvents(database.db, id, 0, AbortSignal.timeout(10_000)))
    if (data.step === step) return;
}

const entriesOf = async (name: string) =>
  (
    await database.db.all<{ event: string }>(
      sql`select event from audit.entry where asset = ${`agents/${name}`} order by seq`,
    )
  ).map(({ event }) => event);
const servingOf = async (deployment: Deployment) => {
  const row = await store.deployment(database.db, deployment.id);
  return row && (await store.route(database.db, row.agent_id, 'local'));
};

test('a deployer of the team deploys the approved version, step by step, and the log has it', async () => {
  await work();
  const { name, ref } = await pushed();
  await expect(ask('dora', ref)).rejects.toMatchObject({ code: 'approval_required' });
  const approval_id = await approved(ref);
  await expect(ask('ada', ref)).rejects.toMatchObject({ code: 'forbidden' });
  const deployment = await ended(await ask('dora', ref));
  expect(deployment).toMatchObject({
    state: 'done',
    approval_id,
    actor: emailOf('dora'),
    endpoint: `http://gantry.test/agents/${name}/invoke`,
    audit_seq: expect.any(Number),
  });
  expect(deployment.steps.map((step) => `${step.n} ${step.name} ${step.state}`)).toEqual(
    deploySteps.map((step, index) => `${index + 1} ${step} done`),
  );
  const files = await listArtefacts(stage.database.db, await stage.cast.caller('ada'), deployment.id);
  expect(files.map(({ name: file }) => file)).toEqual(['compose.yaml', 'sbom.cdx.json']);
  const bill = JSON.parse(files[1]?.content ?? '') as { metadata: { timestamp: string } };
  const [version] = await stage.database.db.all<{ pushed_at: string }>(
    sql`select v.pushed_at from version v join asset a on a.id = v.asset_id where a.name = ${name}`,
  );
  expect(Date.parse(bill.metadata.timestamp)).toBe(Date.parse(version?.pushed_at ?? ''));
  expect(await servingOf(deployment)).toMatchObject({
    id: deployment.id,
    digest: deployment.digest,
    approval_id,
    desired: 'running',
  });
  expect(await entriesOf(name)).toEqual(expect.arrayContaining(['deploy.started', 'deploy']));
});

test.each(deploySteps)(
  'after a crash between the work of the %s step and its record, the deploy continues to its end',
  async (trap) => {
    const { kind, reached } = dyingAt(deployKind(parts), trap);
    const dying = await work(kind);
    const { name, ref } = await pushed();
    await approved(ref);
    const asked = await ask('dora', ref);
    await reached;
    await dying.stop();
    workers = [];
    await work();
    const deployment = await ended(asked);
    expect(deployment).toMatchObject({ state: 'done', problem: null });
    expect([...stage.containers.keys()]).toEqual([deployment.id]);
    expect(await servingOf(deployment)).toMatchObject({ id: deployment.id });
    expect((await entriesOf(name)).filter((event) => event === 'deploy')).toHaveLength(1);
  },
);

test('a deploy that an earlier release began, without a placement, continues to its end', async () => {
  const { kind, reached } = dyingAt(deployKind(parts), 'start');
  const dying = await work(kind);
  const { ref } = await pushed();
  await approved(ref);
  const asked = await ask('dora', ref);
  await reached;
  await dying.stop();
  workers = [];
  // As that release left it: its step made the places, stored no row, and returned no files.
  await database.db.run(sql`delete from placement where revision_id = ${asked.id}`);
  await database.db.run(
    sql`update run_step set output = output - 'files' where run_id = ${asked.id} and name = 'provision'`,
  );
  await work();
  const deployment = await ended(asked);
  expect(deployment).toMatchObject({ state: 'done', problem: null });
  expect([...stage.containers.keys()]).toEqual([deployment.id]);
  expect(await servingOf(deployment)).toMatchObject({ id: deployment.id });
  const [instance] = await instancesOfRevision(database.db, deployment.id);
  expect(instance).toMatchObject({ n: 1, place: expect.any(Object), url: expect.any(String) });
});

test('a deploy that is cancelled during its build changes nothing and leaves nothing', async () => {
  await work();
  const { name, ref } = await pushed();
  await approved(ref);
  stage.duringBuild = async () => await new Promise(() => {});
  const asked = await ask('dora', ref);
  await waitForStep(asked, 'build');
  await expect(ask('dora', ref)).rejects.toMatchObject({ code: 'deploy_running', fields: { deployment_id: asked.id } });
  await expect(cancel(database.db, await cast.caller('vera'), asked.id)).rejects.toMatchObject({ code: 'forbidden' });
  await cancel(database.db, await cast.caller('max'), asked.id);
  const deployment = await ended(asked);
  expect(deployment).toMatchObject({ state: 'cancelled', problem: { code: 'cancelled' } });
  expect(stage.containers.size).toBe(0);
  expect(await entriesOf(name)).toContain('deploy.cancelled');
  expect(await servingOf(deployment)).toBeUndefined();
});

test.each(['run', 'deployment'])(
  'a cancel that fails at the %s cancels nothing, and the next cancel has its own requester in the log',
  async (table) => {
    const { ref } = await pushed();
    await approved(ref);
    const asked = await ask('dora', ref);
    await database.db.run(
      sql`create function break_off() returns trigger language plpgsql as $$ begin raise 'broken off'; end $$`,
    );
    await database.db.run(
      table === 'run'
        ? sql`create trigger break_off before update on run for each row execute function break_off()`
        : sql`create trigger break_off before update on deployment for each row execute function break_off()`,
    );
    try {
      await expect(cancel(database.db, await cast.caller('max'), asked.id)).rejects.toThrow('broken off');
    } finally {
      await database.db.run(sql`drop function break_off cascade`);
    }
    expect(await store.deployment(database.db, asked.id)).toMatchObject({ cancelled_by: null });
    expect(await findRun(database.db, asked.id)).toMatchObject({ state: 'queued' });
    await cancel(database.db, await cast.caller('root'), asked.id);
    expect(await store.deployment(database.db, asked.id)).toMatchObject({ cancelled_by: emailOf('root') });
    await work();
    expect(await ended(asked)).toMatchObject({ state: 'cancelled' });
  },
);

test('a late cancel has no requester in the record', async () => {
  await work();
  const { ref } = await pushed();
  await approved(ref);
  const deployment = await ended(await ask('dora', ref));
  await expect(cancel(database.db, await cast.caller('max'), deployment.id)).rejects.toMatchObject({
    code: 'not_cancellable',
  });
  expect(await store.deployment(database.db, deployment.id)).toMatchObject({ cancelled_by: null });
});

test('a failed build does not change the serving version', async () => {
  await work();
  const { name, ref } = await pushed();
  await approved(ref);
  const first = await ended(await ask('dora', ref));
  const second = await pushed({ name, version: '2.0.0' });
  await approved(second.ref);
  stage.duringBuild = async () => await Promise.reject(new Problem('build_failed', { detail: 'no room' }));
  expect(await ended(await ask('dora', second.ref))).toMatchObject({
    state: 'failed',
    problem: { code: 'build_failed', detail: 'no room' },
  });
  expect(await servingOf(first)).toMatchObject({ id: first.id });
  expect([...stage.containers.keys()]).toEqual([first.id]);
  expect((await entriesOf(name)).at(-1)).toBe('deploy.failed');
});

test('a draft that is pushed again during its build is not deployed', async () => {
  await work();
  const { name, ref } = await pushed();
  stage.duringBuild = async () => void (await pushed({ name, files: { 'more.py': 'x = 1\n' } }));
  const deployment = await ended(await ask('root', ref));
  expect(deployment).toMatchObject({ state: 'failed', problem: { code: 'superseded' } });
  expect(stage.containers.size).toBe(0);
  expect(await servingOf(deployment)).toBeUndefined();
});

test.each([
  [
    'whose deployer was demoted',
    'forbidden',
    async () =>
      await cast.write(
        'membership',
        sql`update membership set role = 'viewer' where user_id = ${cast.id('dora')} returning id`,
      ),
  ],
  [
    'whose deployer was disabled',
    'forbidden',
    async () =>
      await cast.write('app_user', sql`update app_user set active = false where id = ${cast.id('dora')} returning id`),
  ],
  [
    'whose approval was revoked',
    'approval_required',
    async () =>
      await cast.write(
        'approval',
        sql`update approval set status = 'rejected', closed_reason = 'revoked' where status = 'approved' returning id`,
      ),
  ],
])('a deploy %s during the build is refused before the provision step', async (_, code, meanwhile) => {
  await work();
  const { ref } = await pushed();
  await approved(ref);
  stage.duringBuild = meanwhile;
  const deployment = await ended(await ask('dora', ref));
  await cast.write(
    'membership',
    sql`update membership set role = 'deployer' where user_id = ${cast.id('dora')} returning id`,
  );
  await cast.write('app_user', sql`update app_user set active = true where id = ${cast.id('dora')} returning id`);
  expect(deployment).toMatchObject({ state: 'failed', problem: { code } });
  expect(deployment.steps.find(({ name }) => name === 'provision')).toMatchObject({ state: 'failed' });
  expect(stage.provisioned).toBe(0);
});

test('a deploy whose reference is deleted during the build fails; the delete of a serving agent’s reference is refused', async () => {
  await work();
  const caller = await cast.caller('ada');
  const words = { team: 'ml', version: '1.0.0', description: '', tags: [], visibility: 'org', config: {} } as const;
  const tool = { kind: 'tool', name: 'under-a-deploy' } as const;
  const make = async () =>
    await create({ db: database.db, rules }, caller, 'tool', { ...words, tags: [], name: tool.name });
  const deletion = {
    db: database.db,
    closeRequests: closePending,
    findNamedUsers,
    removeRows: { target: removeTargetRows },
  };
  const remove = async () => await deleteAsset(deletion, caller, tool);
  await make();
  const first = await pushed({ yaml: `tools: [tools/${tool.name}]\n` });
  await approved(first.ref);
  stage.duringBuild = remove;
  const failed = await ended(await ask('dora', first.ref));
  expect(failed).toMatchObject({ state: 'failed', problem: { code: 'reference_missing' } });
  expect(failed.steps.find(({ name }) => name === 'register')?.state).toBe('failed');
  expect(await servingOf(failed)).toBeUndefined();
  expect(stage.containers.size).toBe(0);

  stage.duringBuild = async () => {};
  await make();
  const second = await pushed({ yaml: `tools: [tools/${tool.name}]\n` });
  await approved(second.ref);
  const done = await ended(await ask('dora', second.ref));
  expect(done.state).toBe('done');
  const users = await usedBy(deletion, caller, tool);
  expect(users).toEqual({ assets: [`agents/${second.name}`], settings: [], hidden: 0 });
  await expect(remove()).rejects.toMatchObject({ code: 'in_use', fields: { used_by: [`agents/${second.name}`] } });
  await deleteAgent(parts, caller, second.name);
  await remove();
});

test('an agent that a serving agent calls cannot be deleted first', async () => {
  await work();
  const helper = await pushed();
  const boss = await pushed({ yaml: `subagents: [agents/${helper.name}]\n` });
  await approved(boss.ref);
  expect((await ended(await ask('dora', boss.ref))).state).toBe('done');
  const remove = async (name: string) => await deleteAgent(parts, await cast.caller('ada'), name);
  await expect(remove(helper.name)).rejects.toMatchObject({ code: 'in_use' });
  await remove(boss.name);
  await remove(helper.name);
});

test('a transferred agent continues to run, its new team operates it, and a new push allows its deploy', async () => {
  await work();
  const { name, ref } = await pushed();
  await approved(ref);
  expect((await ended(await ask('dora', ref))).state).toBe('done');
  const [root, olga] = [await cast.caller('root'), await cast.caller('olga')];
  const to = { team: 'ops', owner: emailOf('otto') };
  const moveKeys: MoveKeys = async (tx, agent) => await moveRevisionKeys(parts.key_maker, tx, agent);
  await transfer({ db: database.db, closeRequests: closePending, moveKeys }, root, { kind: 'agent', name }, to);
  // The new team pays for the key that the keeper delivers.
  const keys = await database.db.all(sql`
    select k.revoked_at is null as works, t.name as team, v.key_id is not null as is_delivered
    from gateway_key k join team t on t.id = k.team_id left join revision v on v.key_id = k.id
    where k.alias = ${`agent:${name}`} order by k.created_at`);
  expect(keys).toEqual([
    { works: false, team: 'ml', is_delivered: false },
    { works: true, team: 'ops', is_delivered: true },
  ]);
  await expect(stop(parts, await cast.caller('dora'), name)).rejects.toMatchObject({
    code: 'forbidden',
  });
  expect((await ended(await stop(parts, olga, name))).state).toBe('done');
  await expect(ask('olga', ref)).rejects.toMatchObject({ code: 'rbac_failed' });
});

test('a deploy by an admin without an approval has its own event, and the setting forbids it, even during a deploy', async () => {
  await work();
  const first = await pushed();
  expect(await ended(await ask('root', first.ref))).toMatchObject({ state: 'done', approval_id: null });
  expect(await entriesOf(first.name)).toContain('deploy.bypassed_approval');
  const second = await pushed();
  stage.duringBuild = async () =>
    await cast.write('org', sql`update org set require_approval_for_admins = true returning id`);
  const refused = await ended(await ask('root', second.ref));
  await expect(ask('root', second.ref)).rejects.toMatchObject({ code: 'approval_required' });
  await cast.write('org', sql`update org set require_approval_for_admins = false returning id`);
  expect(refused).toMatchObject({ state: 'failed', problem: { code: 'approval_required' } });
  expect(stage.provisioned).toBe(1);
});

test('a missing feature that makes an agent unsafe is refused at once, by name', async () => {
  const { ref } = await pushed({ yaml: 'deploy: {cloud: azure}\n' });
  await expect(ask('root', ref)).rejects.toMatchObject({
    code: 'not_in_effect',
    detail: expect.stringContaining('`deploy.cloud`'),
  });
  const other = await pushed();
  const to = async (person: Person, target: string) =>
    await deploy(parts, await cast.caller(person), { ref: other.ref, target, force: false });
  await expect(to('root', 'aws')).rejects.toMatchObject({ code: 'not_in_effect' });
  // Before the question for an approval, which nobody can give for it.
  await expect(to('dora', 'loacl')).rejects.toMatchObject({
    code: 'not_in_effect',
    detail: '`target`: This service has no target `loacl`; did you mean `local`? Its targets: local.',
    errors: [{ pointer: '/target' }],
  });
  await expect(to('dora', 'local')).rejects.toMatchObject({ code: 'approval_required' });
});

test('the undo removes a container that was made and not stored, and asks the target for no list', async () => {
  await work();
  const { ref } = await pushed();
  await approved(ref);
  const { provision } = stage.targets.local;
  stage.targets.local.list = async () => await Promise.reject(new Error('no list is needed'));
  stage.targets.local.provision = async (...made) => {
    await provision(...made);
    throw new Problem('engine_unavailable', { detail: 'The container engine does not answer' });
  };
  const { id } = await ask('dora', ref);
  expect(await ended({ id })).toMatchObject({ state: 'failed', problem: { code: 'engine_unavailable' } });
  expect([...stage.containers.values()].filter(({ revision_id }) => revision_id === id)).toEqual([]);
  expect(await stage.database.db.all(sql`select from placement where revision_id = ${id}`)).toEqual([]);
});

test('after a failed undo, the deploy needs attention and names the leftovers', async () => {
  await work();
  const { ref } = await pushed();
  await approved(ref);
  stage.targets.local.release = async () =>
    await Promise.reject(new Problem('engine_unavailable', { detail: 'The container engine does not answer' }));
  stage.targets.local.start = async () =>
    await Promise.reject(new Problem('start_failed', { detail: 'it does not start' }));
  const deployment = await ended(await ask('dora', ref));
  expect(deployment).toMatchObject({
    state: 'needs_attention',
    problem: {
      code: 'start_failed',
      leftovers: [
        {
          step: 'provision',
          output: { instances: [{ n: 1 }] },
          reason: 'The container engine does not answer',
        },
      ],
    },
  });
});
