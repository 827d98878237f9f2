import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import type { OrgSettings } from '@gantry/contract/people/org.ts';
import { sql } from '../../ground/database/sql.ts';
import { findAgent } from '../../assets/registry/find.ts';
import { runEvents } from '../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../ground/runs/worker.ts';
import { openDeployStage, type DeployStage } from '../../testing/agents/deploy-stage.ts';
import { deploy } from './deploy.ts';
import { deployKind } from './deploy-kind.ts';
import { showDeploy } from './deployments/find-deploy.ts';
import { plan } from './plan.ts';
import { openRefusedEgressLog } from './status/refused-egress.ts';
import type { Lease } from './keep/agent-leases.ts';
import { restartContainer } from './keep/restart-container.ts';
import { deployMutex } from './deploy-run.ts';
import { showStatus } from './status/show-status.ts';
import { agentStatus } from './status/status.ts';
import * as instanceStore from './instance-store.ts';
import * as store from './store.ts';

const listed = 'deploy: {egress: ["api.x.com:443"]}\n';
const signal = AbortSignal.timeout(120_000);
let stage: DeployStage;
let worker: Worker;
beforeAll(async () => {
  stage = await openDeployStage();
  const kinds = { deploy: deployKind(stage.parts) };
  worker = await startWorker(stage.database.db, kinds, { owner: 'test', onError: () => {} });
});
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
});
beforeEach(async () => {
  stage.clear();
  await setTo('open');
});

const setTo = async (setting: OrgSettings['agent_egress']) =>
  await stage.cast.write('org', sql`update org set agent_egress = ${setting} returning id`);
const root = async () => await stage.cast.caller('root');
const ask = async (ref: string, force = false) => await deploy(stage.parts, await root(), { ref, force });
async function ended({ id }: { id: string }): Promise<Deployment> {
  for await (const _ of runEvents(stage.database.db, id, 0, AbortSignal.timeout(20_000)));
  return await showDeploy(stage.database.db, await root(), id);
}
async function statusOf(name: string) {
  const asset = await findAgent(stage.database.db, name, await root());
  if (asset === undefined) throw new Error(`there is no agent ${name}`);
  return await agentStatus(stage.parts, asset, signal);
}

describe('under gateway_only, a list of destinations is refused', () => {
  test('by the plan and by the deploy, with the field; an empty list is not', async () => {
    const [{ ref }, empty] = [await stage.push({ yaml: listed }), await stage.push({ yaml: 'deploy: {egress: []}\n' })];
    expect(await plan(stage.parts, await root(), { ref })).toMatchObject({ deployable: true });
    await setTo('gateway_only');
    expect(await plan(stage.parts, await root(), { ref })).toMatchObject({
      deployable: false,
      verdicts: expect.arrayContaining([
        expect.objectContaining({ verdict: 'fail', detail: expect.stringContaining('agent_egress is gateway_only') }),
      ]),
    });
    await expect(ask(ref)).rejects.toMatchObject({ code: 'egress_refused', errors: [{ pointer: '/deploy/egress' }] });
    expect(await ended(await ask(empty.ref))).toMatchObject({ state: 'done' });
  });

  test('also when the setting comes into effect during the build', async () => {
    const { ref } = await stage.push({ yaml: listed });
    stage.duringBuild = async () => await setTo('gateway_only');
    const deployment = await ended(await ask(ref));
    expect(deployment).toMatchObject({ state: 'failed', problem: { code: 'egress_refused' } });
    expect(deployment.steps.find(({ state }) => state === 'failed')?.name).toBe('provision');
    expect(stage.provisioned).toBe(0);
  });
});

test('a changed setting leaves a container as it is and marks it; its next container follows the setting', async () => {
  const { name, ref } = await stage.push();
  const { id } = await ended(await ask(ref));
  expect(await statusOf(name)).toMatchObject({ egress: null, outside_setting: null });
  await setTo('listed');
  const outside_setting = expect.stringMatching(/reaches the whole internet; agent_egress is listed now.* --force$/);
  expect(await statusOf(name)).toMatchObject({ egress: null, outside_setting });

  // Its container was removed by hand.
  stage.containers.clear();
  const [row] = await instanceStore.instancesOfRevision(stage.database.db, id);
  if (row === undefined || row.place === null) throw new Error('no instance');
  const seen = await stage.targets.local.observe(row.place);
  const again = async (lease: Lease) => await restartContainer(stage.parts, row, seen, lease);
  await stage.parts.leases.hold(deployMutex(row), signal, again);
  expect(await statusOf(name)).toMatchObject({ egress: [], outside_setting: null });

  await setTo('open');
  expect((await statusOf(name)).outside_setting).toContain('reaches only the model gateway; agent_egress is open now');
  await ended(await ask(ref, true));
  expect(await statusOf(name)).toMatchObject({ egress: null, outside_setting: null });
});

test('a plan says when an agent can call a model past its budget; a deploy does not repeat it', async () => {
  const notice = expect.stringMatching(/reaches the whole internet, and its budget limits only its calls/);
  const [open, limited] = [await stage.push(), await stage.push({ yaml: listed })];
  const planned = async ({ ref }: { ref: string }) => await plan(stage.parts, await root(), { ref });
  expect(await planned(open)).toMatchObject({ unguarded: null });
  const asset = await findAgent(stage.database.db, open.name, await root());
  const team = asset?.team.id;
  await stage.cast.write('budget', sql`insert into budget (id, month_nano) values (${team}, 1) returning id`);
  const { verdicts } = await planned(open);
  expect(verdicts).toContainEqual({ check: 'validate', verdict: 'notice', detail: notice });
  expect((await ended(await ask(open.ref))).notices).toEqual([]);
  expect(await planned(limited)).toMatchObject({ unguarded: null });
  await setTo('listed');
  expect(await planned(open)).toMatchObject({ unguarded: null });
});

test('the reach of an agent is that of its container, and a plan compares with it', async () => {
  const { name, ref } = await stage.push();
  await ended(await ask(ref));
  await setTo('listed');
  const reachOf = async () => {
    const shown = await showStatus(stage.parts, await root(), name, signal);
    return shown.reach?.map(({ name: what, unbounded }) => `${what}${unbounded ? ' (no limit)' : ''}`);
  };
  expect(await reachOf()).toEqual(['the whole internet (no limit)', 'every model of team ml (no limit)']);
  const next = await stage.push({ name, version: '1.1.0', yaml: `model: {primary: llama}\n${listed}` });
  const { changes } = await plan(stage.parts, await root(), { ref: next.ref });
  expect(changes.reach.map(({ change, name: what }) => `${change} ${what}`)).toEqual([
    'removed the whole internet',
    'removed every model of team ml',
    'narrowed llama',
    'narrowed api.x.com:443',
  ]);
  await ended(await ask(next.ref));
  expect(await reachOf()).toEqual(['llama', 'api.x.com:443']);
});

test('the status has refused destinations with their count, at most fifty, and they end with the container', async () => {
  const { name, ref } = await stage.push({ yaml: listed });
  const { id } = await ended(await ask(ref));
  const warned: unknown[] = [];
  const log = openRefusedEgressLog(stage.database.db, {
    log: { warn: (one: unknown) => void warned.push(one) },
    onError: (error) => expect.unreachable(String(error)),
  });
  const reason = 'is not in deploy.egress of agent.yaml';
  for (let n = 0; n < 200; n++) log.add({ agent: name, revision_id: id, destination: `h${n % 100}.x:443`, reason });
  await log.close();
  const { refused_egress } = await statusOf(name);
  expect([refused_egress.length, warned.length]).toEqual([50, 50]);
  expect(refused_egress).toContainEqual({ destination: 'h0.x:443', reason, count: 2, at: expect.any(String) });
  const [row] = await instanceStore.instancesOfRevision(stage.database.db, id);
  if (row === undefined) throw new Error('no instance');
  await instanceStore.removeInstance(stage.database.db, row);
  expect(await store.refusedEgress(stage.database.db, [id])).toEqual([]);
});
