// The platform on an emulator of ECS, without a service and without a task. aws.clouds.test.ts has the story.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectEngine } from '../../../../assets/docker/client.ts';
import { described, planning } from '../../../../testing/agents/aws-revision.ts';
import { checkAgainstModels, type AwsRequest } from '../../../../testing/servers/aws-models.ts';
import type { Emulator } from '../../../../testing/servers/emulator.ts';
import { startMinistack } from '../../../../testing/servers/ministack.ts';
import { recordRequests } from '../../../../testing/servers/recorded-requests.ts';
import type { Ledger, OutsideResource } from '../outside.ts';
import type { Platform } from '../replicas/platform.ts';
import { openClients, type AwsClients } from './clients.ts';
import { ecsPlatform, type EcsParts } from './ecs-platform.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const signal = () => AbortSignal.timeout(60_000);
let aws: Emulator;
/** Of the test, which looks itself. */
let eyes: AwsClients;
let parts: EcsParts;
let platform: Platform;
let sent: AwsRequest[];
/** The records of what is made, beside the number of requests that were sent before. */
const made: (OutsideResource & { after: number })[] = [];
/** By kind and name: what may be there. */
const open = new Map<string, Awaited<ReturnType<Ledger['list']>>[number]>();
const keyOf = ({ kind, name }: OutsideResource) => `${kind} ${name}`;
const ledger: Ledger = {
  record: async (one, of, described) => {
    made.push({ ...one, after: sent.length });
    open.set(keyOf(one), { ...one, revision_id: of?.revision_id ?? null, described });
    await Promise.resolve();
  },
  removed: async (one) => await Promise.resolve(void open.delete(keyOf(one))),
  list: async () => await Promise.resolve([...open.values()]),
};

beforeAll(async () => {
  aws = await startMinistack();
  const { region, cluster } = planning.settings;
  const clients = await openClients({ region, endpoint: aws.endpoint, credentials });
  eyes = await openClients({ region, endpoint: aws.endpoint, credentials });
  await eyes.ecs.createCluster({ clusterName: cluster });
  sent = recordRequests(clients);
  parts = {
    ...planning,
    open: async () => await Promise.resolve(clients),
    ledger,
    registry: () => {
      throw new Error('nothing is pushed here');
    },
    builds: connectEngine({ docker_host: 'unix:///nowhere', installation_id: planning.installation_id }),
  };
  platform = ecsPlatform(parts);
}, 300_000);
afterAll(async () => await aws?.stop());

async function expectNothing(): Promise<void> {
  const { cluster, log_group } = parts.settings;
  const { taskArns } = await eyes.ecs.listTasks({ cluster });
  const { taskDefinitionArns } = await eyes.ecs.listTaskDefinitions({});
  const { SecretList } = await eyes.secrets.listSecrets({});
  const { logStreams } = await eyes.logs.describeLogStreams({ logGroupName: log_group });
  expect({ taskArns, taskDefinitionArns, SecretList, logStreams }).toEqual({
    taskArns: [],
    taskDefinitionArns: [],
    SecretList: [],
    logStreams: [],
  });
  expect((await ledger.list()).filter(({ revision_id }) => revision_id !== null)).toEqual([]);
}

test('a repeated description makes nothing, another one a new task definition, and one of an older attempt is refused', async () => {
  await platform.describe(described, signal());
  const service = async () => {
    const { cluster } = parts.settings;
    const { services = [] } = await eyes.ecs.describeServices({ cluster, services: [described.name] });
    return services[0];
  };
  const first = await service();
  expect(first).toMatchObject({ desiredCount: 0, runningCount: 0 });
  expect(await platform.drift?.(new Map([[described.revision_id, 0]]), signal())).toEqual([]);
  const count = made.length;
  await platform.describe({ ...described, fence: 2 }, signal());
  expect(made).toHaveLength(count);
  const other = { ...described, fence: 3, variables: { SVC_AGENT_NAME: 'another' } };
  await platform.describe(other, signal());
  expect((await service())?.taskDefinition).not.toBe(first?.taskDefinition);
  await expect(platform.describe({ ...described, fence: 2 }, signal())).rejects.toThrow('has a newer fence');
  await platform.remove(described.name, signal());
  await expectNothing();
}, 60_000);

test('the service of another installation is not taken, and not listed', async () => {
  await platform.describe(described, signal());
  const other = ecsPlatform({ ...parts, installation_id: 'another' });
  await expect(other.observe(described.name)).rejects.toThrow('does not belong to this installation');
  await expect(other.remove(described.name)).rejects.toThrow('does not belong to this installation');
  expect(await other.list()).toEqual([]);
  expect(await platform.list()).toHaveLength(1);
  await platform.remove(described.name, signal());
}, 60_000);

test('no task definition, no service and no artefact has a value of a secret', async () => {
  const { artefacts } = await platform.describe(described, signal());
  const value = 'the value of a secret';
  await platform.scale(described.name, { replicas: 0, files: { TOKEN: value, SVC_JOIN_TOKEN: value } });
  const { SecretString } = await eyes.secrets.getSecretValue({
    SecretId: `gantry/${parts.installation_id}/${described.name}`,
  });
  expect(JSON.parse(SecretString ?? '')).toEqual({ TOKEN: value, SVC_JOIN_TOKEN: value });
  const others = sent.filter(({ operation }) => operation !== 'PutSecretValue');
  expect(JSON.stringify([artefacts, others, made])).not.toContain(value);
  await platform.remove(described.name, signal());
}, 60_000);

test('secrets that do not fit, limits of outgoing connections and impossible sizes are refused before anything is made', async () => {
  const count = made.length;
  const huge = { ...described, resources: { cpu_count: 64, memory_bytes: 1024 ** 3 } };
  await expect(platform.describe(huge, signal())).rejects.toThrow('Fargate has no size with 64 CPU');
  await expect(platform.describe({ ...described, egress: [] }, signal())).rejects.toThrow('Outgoing connections');
  await expect(platform.describe({ ...described, name: 'a b' }, signal())).rejects.toThrow('The family a b');
  expect(made).toHaveLength(count);
  await platform.describe(described, signal());
  const files = { LARGE: 'x'.repeat(70_000) };
  await expect(platform.scale(described.name, { replicas: 1, files })).rejects.toThrow('keeps 65536 in one secret');
  expect(await platform.observe(described.name)).toMatchObject({ replicas: 0 });
  await platform.remove(described.name, signal());
}, 60_000);

test('everything that was made is in the record before it was made', () => {
  const creating = /^(Create|Register)/;
  const created = sent.flatMap(({ operation }, at) => (creating.test(operation) ? [at] : []));
  expect(created.length).toBeGreaterThan(5);
  expect(made.map(({ after }) => after)).toEqual(expect.arrayContaining(created));
});

test("every request that was sent fits botocore's models", async () => {
  // The service sends more meanwhile.
  const requests = [...sent];
  const faults = await checkAgainstModels(requests);
  expect(faults.flatMap((found, at) => found.map((fault) => `${requests[at]?.operation}: ${fault}`))).toEqual([]);
}, 120_000);
