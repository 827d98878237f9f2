// Who may deploy to a target, and what an approval for it covers. The targets of the stage have rows, and its stand-in takes the containers.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openEnvelope } from '../../../../ground/envelope/envelope.ts';
import { startWorker, type Worker } from '../../../../ground/runs/worker.ts';
import { runEvents } from '../../../../ground/runs/events.ts';
import { setCredential } from '../../../../assets/targets/set-credential.ts';
import { create } from '../../../../assets/registry/assets/create.ts';
import { deleteAsset } from '../../../../assets/registry/assets/delete.ts';
import { edit } from '../../../../assets/registry/assets/edit.ts';
import { removeTargetRows } from './remove-rows.ts';
import { engineAt } from '../../../../testing/pushes/asset-configs.ts';
import type { Person } from '../../../../testing/access/cast.ts';
import { openDeployStage, type DeployStage } from '../../../../testing/agents/deploy-stage.ts';
import { grant } from '../../../permissions/grant.ts';
import { approve } from '../../../approvals/approve.ts';
import { closePending } from '../../../approvals/approval-for.ts';
import { submit } from '../../../approvals/submit.ts';
import { deploy } from '../../deploy.ts';
import { deployKind } from '../../deploy-kind.ts';
import { showDeploy } from '../../deployments/find-deploy.ts';
import { plan } from '../../plan.ts';
import { planFor } from '../../plan-for.ts';
import { findNamedUsers } from '../../named-users.ts';
import { rules } from '../../../../testing/pushes/rules.ts';

const kind = 'target';
const envelope = openEnvelope(Buffer.alloc(32));
const config = (address: string) => engineAt(address) as unknown as Record<string, never>; // any JSON, as from a client
let stage: DeployStage;
let worker: Worker | undefined;
const errors: unknown[] = [];
let made = 0;

beforeAll(async () => void (stage = await openDeployStage()));
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
});
beforeEach(() => stage.clear());
afterEach(() => expect(errors.splice(0)).toEqual([]));

const db = () => stage.database.db;
const plans = () => ({ planFor: planFor(stage.parts.targets) });
const caller = async (person: Person) => await stage.cast.caller(person);

async function added(team: 'ml' | 'ops'): Promise<string> {
  const name = `box-${++made}`;
  stage.targets[name] = stage.targets.local;
  const words = { version: '1.0.0', description: '', tags: [], visibility: 'org' as const };
  await create({ db: db(), rules }, await caller('root'), kind, {
    name,
    team,
    ...words,
    config: config('tcp://one.example.com:2376'),
  });
  return name;
}

async function approvedFor(target: string): Promise<string> {
  const { ref } = await stage.push();
  await approveFor(ref, target);
  return ref;
}

async function submitFor(ref: string, target: string): Promise<string> {
  const parts = { db: db(), targets: async () => await stage.parts.targets.names(), ...plans() };
  return (await submit(parts, await caller('ada'), { asset: ref, target, message: '' })).id;
}

async function approveFor(ref: string, target: string): Promise<void> {
  await approve({ db: db(), ...plans() }, await caller('max'), await submitFor(ref, target), 'fine');
}

async function deployTo(person: Person, ref: string, target: string) {
  worker ??= await startWorker(
    db(),
    { deploy: deployKind(stage.parts) },
    { owner: 'test', poll_ms: 50, onError: (error) => errors.push(error) },
  );
  const { id } = await deploy(stage.parts, await caller(person), { ref, target, force: true });
  for await (const _ of runEvents(db(), id, 0, AbortSignal.timeout(20_000)));
  return await showDeploy(db(), await caller('root'), id);
}

test('a deployer needs `deploy` on the target, or is in its team; a platform admin needs neither', async () => {
  const [ours, theirs] = [await added('ml'), await added('ops')];
  const ref = await approvedFor(theirs);
  await approveFor(ref, ours);
  expect(await deployTo('dora', ref, ours)).toMatchObject({ state: 'done', target: ours });
  await expect(deployTo('dora', ref, theirs)).rejects.toMatchObject({
    code: 'forbidden',
    hint: `Ask a platform admin: svc acl grant --asset targets/${theirs} --principal user:dora@example.com --actions deploy`,
  });
  expect(await deployTo('root', ref, theirs)).toMatchObject({ state: 'done' });
  await grant(db(), await caller('root'), {
    resource_type: kind,
    resource_id: theirs,
    principal_type: 'user',
    principal_id: 'dora@example.com',
    actions: ['deploy'],
  });
  expect(await deployTo('dora', ref, theirs)).toMatchObject({ state: 'done', target: theirs });
});

test('an approval for a target ends with its address and with its credential, also for a queued deploy', async () => {
  const name = await added('ml');
  const ref = await approvedFor(name);
  const move = async (version: string) => {
    const moved = { version, config: config(`tcp://${version.replaceAll('.', '-')}.example.com:2376`) };
    await edit({ db: db(), rules, findNamedUsers }, await caller('root'), { kind, name }, moved);
  };
  const setAnother = async () => {
    const credential = { certificate: 'a certificate', key: 'a key' };
    await setCredential({ db: db(), envelope }, await caller('root'), { name, credential });
  };
  const pending = await submitFor((await stage.push()).ref, name);
  await move('2.0.0');
  await expect(approve({ db: db(), ...plans() }, await caller('max'), pending, 'fine')).rejects.toMatchObject({
    code: 'superseded',
    detail: `The target ${name} has changed since this request.`,
  });
  await expect(deployTo('dora', ref, name)).rejects.toMatchObject({ code: 'approval_required' });
  await approveFor(ref, name);
  stage.duringBuild = setAnother;
  expect(await deployTo('dora', ref, name)).toMatchObject({ state: 'failed', problem: { code: 'approval_required' } });
  stage.duringBuild = async () => {};
  await expect(deployTo('dora', ref, name)).rejects.toMatchObject({ code: 'approval_required' });
  await approveFor(ref, name);
  expect(await deployTo('dora', ref, name)).toMatchObject({ state: 'done' });
  // A new key is needed now and then. Another address would get the secrets of the running agents.
  await setAnother();
  await expect(move('3.0.0')).rejects.toMatchObject({ code: 'in_use' });
});

test('a kind with one target means it, and with several it is refused with their names', async () => {
  const { ref } = await stage.push({ yaml: 'deploy: {cloud: engine}\n' });
  const names = (await stage.parts.targets.names()).filter((name) => name !== 'local');
  const refused = deploy(stage.parts, await caller('root'), { ref, force: false });
  await expect(refused).rejects.toMatchObject({
    code: 'not_in_effect',
    detail: expect.stringContaining(`Its targets: local, ${names.join(', ')}`),
  });
});

test('T576: a region that the named target does not have is refused by the plan and by the deploy, and another target replaces it', async () => {
  const name = await added('ml');
  const { ref } = await stage.push({ yaml: `deploy: {cloud: ${name}, region: eu-west-1}\n` });
  const detail = `\`deploy.region\`: The target ${name} has no region, and agent.yaml names eu-west-1.`;
  await expect(deploy(stage.parts, await caller('root'), { ref, force: false })).rejects.toMatchObject({
    code: 'not_in_effect',
    detail,
    errors: [{ pointer: '/deploy/region' }],
  });
  const { verdicts } = await plan(stage.parts, await caller('root'), { ref });
  expect(verdicts).toContainEqual({ check: 'validate', verdict: 'fail', detail });
  expect(await deployTo('root', ref, 'local')).toMatchObject({ state: 'done', target: 'local' });
});

test('a target with agents on it is not removed, not even with force', async () => {
  const name = await added('ml');
  await deployTo('root', (await stage.push()).ref, name);
  const parts = { db: db(), closeRequests: closePending, findNamedUsers, removeRows: { target: removeTargetRows } };
  for (const force of [false, true])
    await expect(deleteAsset(parts, await caller('root'), { kind, name, force, reason: 'gone' })).rejects.toMatchObject(
      { code: 'in_use', detail: expect.stringContaining('which run on it') },
    );
});
