// The state that Application Auto Scaling has of a revision, in moto. It runs no task and scales nothing. That AWS follows the policy is not tried.
import { ApplicationAutoScaling } from '@aws-sdk/client-application-auto-scaling';
import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectEngine } from '../../../../assets/docker/client.ts';
import { described as written, planning } from '../../../../testing/agents/aws-revision.ts';
import { checkAgainstModels, type AwsRequest } from '../../../../testing/servers/aws-models.ts';
import type { Emulator } from '../../../../testing/servers/emulator.ts';
import { startMoto } from '../../../../testing/servers/moto.ts';
import { recordRequests } from '../../../../testing/servers/recorded-requests.ts';
import type { Platform } from '../replicas/platform.ts';
import type { Ledger, OutsideResource } from '../outside.ts';
import { openClients } from './clients.ts';
import { ecsPlatform } from './ecs-platform.ts';

const scaler = { min: 2, max: 5, target_cpu: 60 };
const described = { ...written, scaler };
const { name } = described;
const { cluster, region } = planning.settings;
const ResourceId = `service/${cluster}/${name}`;
const signal = () => AbortSignal.timeout(20_000);
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const open = new Map<string, OutsideResource>();
const ledger: Ledger = {
  record: async (one) => await Promise.resolve(void open.set(`${one.kind} ${one.name}`, one)),
  removed: async (one) => await Promise.resolve(void open.delete(`${one.kind} ${one.name}`)),
  list: async () => await Promise.resolve([...open.values()].map((one) => ({ ...one, revision_id: null }))),
};
let moto: Emulator;
let eyes: ApplicationAutoScaling;
let platform: Platform;
let sent: AwsRequest[];

beforeAll(async () => {
  moto = await startMoto();
  const { endpoint } = moto;
  const clients = await openClients({ region, endpoint, credentials });
  await clients.ecs.createCluster({ clusterName: cluster });
  sent = recordRequests(clients);
  eyes = new ApplicationAutoScaling({ region, endpoint, credentials });
  platform = ecsPlatform({
    ...planning,
    settings: { ...planning.settings, ...(await network(endpoint)) },
    ledger,
    open: async () => await Promise.resolve(clients),
    registry: () => {
      throw new Error('nothing is pushed here');
    },
    builds: connectEngine({ docker_host: 'unix:///nowhere', installation_id: planning.installation_id }),
  });
}, 300_000);
afterAll(async () => await moto?.stop());

/** That of the account, whose subnets ECS looks up. */
async function network(endpoint: string): Promise<{ subnets: string[]; security_groups: string[] }> {
  const ec2 = new AwsClient({ accessKeyId: 'test', secretAccessKey: 'test', region, service: 'ec2' });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const idsIn = async (action: string, id: RegExp) => {
    const body = `Action=${action}&Version=2016-11-15`;
    const answer = await ec2.fetch(endpoint, { method: 'POST', headers, body });
    return [...new Set((await answer.text()).match(id) ?? [])];
  };
  const [subnets, security_groups] = await Promise.all([
    idsIn('DescribeSubnets', /\bsubnet-[0-9a-f]+/g),
    idsIn('DescribeSecurityGroups', /\bsg-[0-9a-f]+/g),
  ]);
  return { subnets, security_groups };
}

async function kept() {
  const { ScalableTargets = [] } = await eyes.describeScalableTargets({ ServiceNamespace: 'ecs' });
  const { ScalingPolicies = [] } = await eyes.describeScalingPolicies({ ServiceNamespace: 'ecs' });
  return { targets: ScalableTargets, policies: ScalingPolicies };
}

const scalers = () => [...open.values()].filter(({ kind }) => kind.startsWith('scal')).map(({ kind }) => kind);

test('a revision with the one rule `target_cpu` has a scaler once it has `min` replicas', async () => {
  expect(await platform.describe(described, signal())).toMatchObject({ place: { has_scaler: true } });
  expect(await kept()).toEqual({ targets: [], policies: [] });
  await platform.scale(name, { replicas: 1, files: {} });
  expect(await kept()).toEqual({ targets: [], policies: [] });
  await platform.scale(name, { replicas: 2 });
  const { targets, policies } = await kept();
  expect(targets).toMatchObject([{ ResourceId, MinCapacity: 2, MaxCapacity: 5 }]);
  expect(policies).toMatchObject([
    {
      ResourceId,
      PolicyType: 'TargetTrackingScaling',
      TargetTrackingScalingPolicyConfiguration: {
        TargetValue: 60,
        PredefinedMetricSpecification: { PredefinedMetricType: 'ECSServiceAverageCPUUtilization' },
      },
    },
  ]);
  expect(scalers()).toEqual(['scalable target', 'scaling policy']);
  expect(await platform.observe(name)).toMatchObject({ replicas: 2 });
});

test('below `min` it has none, so that nothing starts which the service stops, and with `min` it has one again', async () => {
  await platform.scale(name, { replicas: 1 });
  expect(await kept()).toEqual({ targets: [], policies: [] });
  expect(scalers()).toEqual([]);
  await platform.scale(name, { replicas: 2 });
  expect((await kept()).targets).toHaveLength(1);
  await platform.scale(name, { replicas: 0 });
  expect(await kept()).toEqual({ targets: [], policies: [] });
});

test('a revision with any other rule has none, and the service sets its number', async () => {
  const other = { ...written, name: 'svc-other-a1b2c3d4' };
  expect(await platform.describe(other, signal())).toMatchObject({ place: {} });
  expect(platform.scalesItself?.({})).toBe(false);
  await platform.scale(other.name, { replicas: 1, files: {} });
  expect(await kept()).toEqual({ targets: [], policies: [] });
  expect(await platform.observe(other.name)).toMatchObject({ replicas: 1 });
});

test("every request that was sent fits botocore's models", async () => {
  const faults = await checkAgainstModels(sent);
  expect(faults.flatMap((found, at) => found.map((fault) => `${sent[at]?.operation}: ${fault}`))).toEqual([]);
  const scaling = sent.filter(({ service }) => service === 'application-autoscaling');
  expect([...new Set(scaling.map(({ operation }) => operation))].toSorted()).toEqual([
    'DeleteScalingPolicy',
    'DeregisterScalableTarget',
    'PutScalingPolicy',
    'RegisterScalableTarget',
  ]);
}, 120_000);
