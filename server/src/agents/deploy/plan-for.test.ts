// What a target says of a deploy: in its plan, in the request for an approval, and as a part of what the approval covers. `cloud` stands for a target
// with a plan, and the containers of the stage run there.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Covered, TargetPlan } from '@gantry/contract/agents/target-plan.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { findAgent } from '../../assets/registry/find.ts';
import { sql } from '../../ground/database/sql.ts';
import { runEvents } from '../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../ground/runs/worker.ts';
import { decide } from '../../governance/access/decide.ts';
import type { Person } from '../../testing/access/cast.ts';
import { openDeployStage, type DeployStage } from '../../testing/agents/deploy-stage.ts';
import { approve } from '../approvals/approve.ts';
import { show } from '../approvals/show.ts';
import { submit } from '../approvals/submit.ts';
import { question } from '../permissions/check.ts';
import { deploy } from './deploy.ts';
import { deployKind } from './deploy-kind.ts';
import { showDeploy } from './deployments/find-deploy.ts';
import { planFor } from './plan-for.ts';
import { plan } from './plan.ts';
import { runningVersion } from './serving/running-version.ts';
import { whyUnguardedNow } from './steps/1-validate.ts';
import type { Planned } from './targets/target.ts';

const target = 'cloud';
const yaml = `deploy: {cloud: ${target}, scaling: {min: 2, max: 4}}\n`;
const first: Covered = {
  kinds: ['service'],
  size: { cpu: '1', memory: '1Gi' },
  permissions: ['role agents'],
  reach: [],
  secrets: [],
};
let stage: DeployStage;
let worker: Worker | undefined;
/** What this release of the service makes on the target. */
let form: Covered;
let broken: string[];
let seen: Planned[];
const errors: unknown[] = [];

beforeAll(async () => void (stage = await openDeployStage()));
afterAll(async () => await stage?.close());
beforeEach(async () => {
  stage.clear();
  [form, broken, seen] = [first, [], []];
  const says = (planned: Planned): TargetPlan => {
    seen.push(planned);
    const reach = [...form.reach, ...(planned.egress ?? ['*']).map((to) => `out: ${to}`)];
    const body = { name: planned.name, image: planned.image };
    return {
      requests: [{ action: 'CreateService', resource: { kind: 'service', name: planned.name }, body }],
      broken,
      notes: ['The size was rounded up.'],
      covers: { ...form, reach },
      cost: { currency: 'USD', idle: '10.00', max: '20.00', as_of: '2026-01-31', source: 'a price list' },
    };
  };
  stage.targets[target] = { ...stage.targets.local, plan: says };
  await limit('open');
  await begin();
});
afterEach(async () => {
  await worker?.stop();
  expect(errors.splice(0)).toEqual([]);
});

const parts = () => ({ ...stage.parts, planFor: planFor(stage.parts.targets) });
const caller = async (person: Person) => await stage.cast.caller(person);
const limit = async (setting: 'open' | 'gateway_only') =>
  await stage.cast.write('org', sql`update org set agent_egress = ${setting} returning id`);
const begin = async () =>
  (worker = await startWorker(
    stage.parts.db,
    { deploy: deployKind(stage.parts) },
    { owner: 'test', poll_ms: 50, onError: (error) => errors.push(error) },
  ));

async function ask(ref: string): Promise<string> {
  const targets = async () => await stage.parts.targets.names();
  return (await submit({ ...parts(), targets }, await caller('ada'), { asset: ref, message: '' })).id;
}
const approved = async (id: string) => await approve(parts(), await caller('max'), id, 'fine');
const planned = async (ref: string) => await plan(stage.parts, await caller('dora'), { ref });
const begun = async (ref: string) => await deploy(stage.parts, await caller('dora'), { ref, force: true });
async function deployed(ref: string) {
  const { id } = await begun(ref);
  for await (const _ of runEvents(stage.parts.db, id, 0, AbortSignal.timeout(20_000)));
  return await showDeploy(stage.parts.db, await caller('root'), id);
}
const shown = async (id: string) =>
  await show({ ...parts(), findRunning: runningVersion, whyUnguarded: whyUnguardedNow }, await caller('max'), id);

test('a plan and a request show what the deploy sends, its notes and its cost; nothing is made', async () => {
  const { ref } = await stage.push({ yaml: `${yaml}` });
  const id = await ask(ref);
  const { target_plan, verdicts } = await planned(ref);
  expect(target_plan).toMatchObject({
    requests: [{ action: 'CreateService', body: { image: '<image>' } }],
    covers: { ...first, reach: ['out: *'] },
    cost: { idle: '10.00', max: '20.00' },
  });
  expect(verdicts).toContainEqual({ check: 'target', verdict: 'notice', detail: 'The size was rounded up.' });
  expect(await shown(id)).toMatchObject({ target_plan, covers: target_plan?.covers, beyond: [], target_refuses: [] });
  expect(stage.provisioned).toBe(0);
  const [{ files, scaling } = never()] = seen;
  expect(scaling).toEqual({ min: 2, max: 4 });
  expect(files).toMatchObject({ OPENAI_API_KEY: '<OPENAI_API_KEY>', SVC_INGRESS_SECRET: '<SVC_INGRESS_SECRET>' });
});

test('what the target would refuse fails the plan, the request and the deploy, also when it begins to refuse later', async () => {
  const { ref } = await stage.push({ yaml });
  const id = await ask(ref);
  await approved(id);
  expect((await planned(ref)).deployable).toBe(true);
  await worker?.stop();
  const queued = await begun(ref);
  broken = ['It has no size with 1 CPU.'];
  await begin();
  for await (const _ of runEvents(stage.parts.db, queued.id, 0, AbortSignal.timeout(20_000)));
  const failed = await showDeploy(stage.parts.db, await caller('root'), queued.id);
  expect(failed).toMatchObject({ state: 'failed', problem: { code: 'target_refuses', detail: broken[0] } });
  expect(failed.steps.find(({ state }) => state === 'failed')?.name).toBe('validate');
  const { deployable, verdicts } = await planned(ref);
  expect(deployable).toBe(false);
  expect(verdicts).toContainEqual({ check: 'target', verdict: 'fail', detail: broken[0] });
  expect((await shown(id)).target_refuses).toEqual(broken);
  await expect(begun(ref)).rejects.toMatchObject({ code: 'target_refuses', detail: broken[0] });

  const says = stage.targets[target] ?? never();
  says.plan = () => {
    throw new Problem('start_failed', { detail: 'It has no size so large.' });
  };
  await expect(begun(ref)).rejects.toMatchObject({ code: 'target_refuses', detail: 'It has no size so large.' });
  expect(await planned(ref)).toMatchObject({ deployable: false, target_plan: null });
  expect(await shown(id)).toMatchObject({ target_plan: null, target_refuses: ['It has no size so large.'] });
  expect(stage.provisioned).toBe(0);
});

test('T573: an approval holds for another form of the same rights, and a wider form needs another one', async () => {
  form = { ...first, reach: ['in: door'] };
  const { ref, name } = await stage.push({ yaml });
  const id = await ask(ref);
  await approved(id);
  expect(await deployed(ref)).toMatchObject({
    state: 'done',
    approval_id: id,
    notices: expect.arrayContaining(['The size was rounded up.']),
  });
  form = { ...first, kinds: ['job', 'service'], size: { cpu: '2', memory: '2Gi' }, permissions: [] };
  expect(await deployed(ref)).toMatchObject({ state: 'done', approval_id: id });
  await expect(ask(ref)).rejects.toMatchObject({ code: 'conflict' });

  form = { ...first, permissions: ['role admin', 'role agents'] };
  const detail = `agents/${name} would get more on this target than its approval covers: role admin.`;
  await expect(begun(ref)).rejects.toMatchObject({ code: 'approval_required', detail });
  expect((await planned(ref)).verdicts).toContainEqual({ check: 'authorize', verdict: 'fail', detail });
  expect(await shown(id)).toMatchObject({ status: 'approved', beyond: ['role admin'] });
  const asset = (await findAgent(stage.parts.db, name, await caller('dora'))) ?? never();
  const { operation, subject } = await question(stage.parts, asset, 'deploy');
  expect(decide(await caller('dora'), operation, subject)).toMatchObject({ allowed: false, reason: detail });

  const again = await ask(ref);
  expect(again).not.toBe(id);
  await approved(again);
  expect(await deployed(ref)).toMatchObject({ state: 'done', approval_id: again });
});

test('T573: a form that becomes wider during the build, and a setting that opens the outside, end the approval too', async () => {
  await limit('gateway_only');
  const { ref } = await stage.push({ yaml });
  await approved(await ask(ref));
  const { provisioned } = stage;
  stage.duringBuild = async () => await Promise.resolve((form = { ...first, reach: ['in: *'] }));
  expect(await deployed(ref)).toMatchObject({ state: 'failed', problem: { code: 'approval_required' } });
  expect(stage.provisioned).toBe(provisioned);
  stage.duringBuild = async () => {};
  form = first;
  expect(await deployed(ref)).toMatchObject({ state: 'done' });
  await limit('open');
  await expect(begun(ref)).rejects.toMatchObject({
    code: 'approval_required',
    detail: expect.stringMatching(/: out: \*\.$/),
  });
});

test('T574: nobody approves a request whose form says less than a deploy gets; the next request replaces it', async () => {
  const { ref } = await stage.push({ yaml });
  const id = await ask(ref);
  expect(await ask(ref)).toBe(id);
  form = { ...first, permissions: ['role admin'] };
  expect(await shown(id)).toMatchObject({ beyond: ['role admin'], can: { 'approvals.approve': { allowed: false } } });
  await expect(approved(id)).rejects.toMatchObject({
    code: 'superseded',
    detail: `A deploy to ${target} gets more than at this request: role admin.`,
  });
  const again = await ask(ref);
  expect(again).not.toBe(id);
  expect(await shown(id)).toMatchObject({ closed_reason: 'superseded' });
  expect(await approved(again)).toMatchObject({ status: 'approved' });
});

test('an approval from before there were forms stays valid for its content', async () => {
  const { ref } = await stage.push({ yaml });
  const id = await ask(ref);
  await approved(id);
  await stage.cast.write('approval', sql`update approval set covers = null where id = ${id} returning id`);
  form = { ...first, permissions: ['role admin'] };
  expect(await deployed(ref)).toMatchObject({ state: 'done', approval_id: id });
});

function never(): never {
  throw new Error('the test has it');
}
