// What somebody changes in the account by hand, and what a service that died there left, on an emulator of ECS and Secrets Manager. No task runs: the
// image exists nowhere.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectEngine } from '../../../../assets/docker/client.ts';
import { described, planning } from '../../../../testing/agents/aws-revision.ts';
import { memoryLedger } from '../../../../testing/agents/memory-ledger.ts';
import { testConfig } from '../../../../testing/config.ts';
import type { Emulator } from '../../../../testing/servers/emulator.ts';
import { startMinistack } from '../../../../testing/servers/ministack.ts';
import type { Platform } from '../replicas/platform.ts';
import { openClients, stacksOf, type AwsClients } from './clients.ts';
import { ecsPlatform } from './ecs-platform.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const { installation_id, settings } = planning;
const { cluster } = settings;
const signal = () => AbortSignal.timeout(30_000);
const ledger = memoryLedger();
const told = new Map<string, number | undefined>();
let aws: Emulator;
/** Of somebody with a console. */
let hands: AwsClients;
let platform: Platform;
/** Over the clients of the platform. It dies after so many requests: the last one is done, and its answer is lost. */
const life = { requests_left: Infinity };
let made = 0;

beforeAll(async () => {
  aws = await startMinistack();
  const access = { region: settings.region, endpoint: aws.endpoint, credentials };
  const clients = await openClients(access);
  for (const { middlewareStack } of stacksOf(clients))
    middlewareStack.add(
      (next) => async (args) => {
        if (life.requests_left <= 0) throw new Error('the service is dead');
        const [answer] = await Promise.allSettled([next(args)]);
        life.requests_left -= 1;
        if (life.requests_left === 0) throw new Error('the service died');
        if (answer.status === 'rejected') throw answer.reason;
        return answer.value;
      },
      { step: 'initialize', name: 'life' },
    );
  hands = await openClients(access);
  await hands.ecs.createCluster({ clusterName: cluster });
  platform = ecsPlatform({
    ...planning,
    open: async () => await Promise.resolve(clients),
    ledger,
    registry: () => {
      throw new Error('no image is pushed');
    },
    builds: connectEngine({ docker_host: testConfig().engine_host, installation_id }),
  });
}, 120_000);
afterAll(async () => await aws?.stop(), 60_000);

const drift = async () =>
  ((await platform.drift?.(told, signal())) ?? []).map(({ what, kind, name, detail }) => [what, kind, name, detail]);

/** A revision without drift. */
async function fresh(): Promise<{ name: string; revision_id: string }> {
  const { name, revision_id } = { name: `svc-parrot-${++made}`, revision_id: randomUUID() };
  await platform.describe({ ...described, name, revision_id }, signal());
  told.set(revision_id, 0);
  expect(await drift()).toEqual([]);
  return { name, revision_id };
}

/** By hand: another task definition of the family, to which the service moves. */
async function redefine(name: string, fields: object): Promise<void> {
  const { taskDefinition: before } = await hands.ecs.describeTaskDefinition({ taskDefinition: name });
  const [container] = before?.containerDefinitions ?? [];
  const { family, networkMode, requiresCompatibilities, executionRoleArn, runtimePlatform } = before ?? {};
  const { taskDefinition } = await hands.ecs.registerTaskDefinition({
    family,
    networkMode,
    requiresCompatibilities,
    executionRoleArn,
    runtimePlatform,
    cpu: '1024',
    memory: '2048',
    containerDefinitions: [{ ...container, ...fields }],
  });
  await hands.ecs.updateService({ cluster, service: name, taskDefinition: taskDefinition?.taskDefinitionArn });
}

test('another task definition is drift, with its fields and without a value', async () => {
  const { name } = await fresh();
  const environment = [{ name: 'TOKEN', value: 'a word' }];
  await redefine(name, { image: 'attacker.example.com/agent:1', environment, command: ['sh'] });
  const [[what, kind, of, detail = ''] = []] = await drift();
  expect([what, kind, of]).toEqual(['changed', 'service', name]);
  for (const path of ['cpu', 'memory', 'containerDefinitions.agent.image']) expect(detail).toContain(path);
  expect(detail).toMatch(/ and \d+ more$/);
  expect(detail).not.toContain('a word');
  await platform.remove(name, signal());
}, 60_000);

test('another number of tasks is drift, unless its scaler decides', async () => {
  const { name, revision_id } = await fresh();
  told.set(revision_id, 1);
  expect(await drift()).toEqual([['changed', 'service', name, 'it wants 0 tasks, and 1 are asked for']]);
  told.set(revision_id, undefined);
  expect(await drift()).toEqual([]);
  await platform.remove(name, signal());
}, 60_000);

test('a secret and a service that are gone are missing', async () => {
  const { name, revision_id } = await fresh();
  const secret = `gantry/${installation_id}/${name}`;
  await hands.secrets.deleteSecret({ SecretId: secret, RecoveryWindowInDays: 7 });
  expect(await drift()).toEqual([['missing', 'secret', secret, 'it is marked for deletion']]);
  await hands.secrets.restoreSecret({ SecretId: secret });
  await hands.secrets.deleteSecret({ SecretId: secret, ForceDeleteWithoutRecovery: true });
  await hands.ecs.deleteService({ cluster, service: name, force: true });
  expect(await drift()).toEqual([
    ['missing', 'service', name, 'it is gone'],
    ['missing', 'secret', secret, 'it is gone'],
  ]);
  // What is left of it is removed by the record.
  await platform.remove(name, signal());
  expect((await ledger.list()).filter((one) => one.revision_id === revision_id)).toEqual([]);
  told.delete(revision_id);
  expect(await drift()).toEqual([]);
}, 60_000);

test('a service with our tag that is not on the record is foreign', async () => {
  const { name } = await fresh();
  await hands.ecs.createService({
    cluster,
    serviceName: 'a-copy',
    taskDefinition: name,
    desiredCount: 0,
    tags: [{ key: 'gantry.installation', value: installation_id }],
  });
  expect(await drift()).toEqual([
    ['foreign', 'service', 'a-copy', 'it has the tag of this service, and is not on the record'],
  ]);
  await platform.remove('a-copy', signal());
  expect(await drift()).toEqual([]);
  await platform.remove(name, signal());
}, 60_000);

test('T577: what a service made that died after any of its requests is removed by the record, and nothing is left in the account', async () => {
  let dead = 0;
  for (let n = 1; ; n++) {
    const one = { ...described, name: `svc-parrot-${++made}`, revision_id: randomUUID() };
    life.requests_left = n;
    const isDead = await platform.describe(one, signal()).then(
      () => false,
      () => true,
    );
    life.requests_left = Infinity;
    if (!isDead) break;
    dead += 1;
    const open = (await ledger.list()).filter(({ revision_id }) => revision_id === one.revision_id);
    expect((await thingsOf(one.name)).filter((thing) => !open.some(({ kind }) => kind === thing))).toEqual([]);
    await platform.remove(one.name, signal());
    expect(await thingsOf(one.name)).toEqual([]);
    expect((await ledger.list()).filter(({ revision_id }) => revision_id === one.revision_id)).toEqual([]);
  }
  // The service is looked for; log group, secret, task definition and service are made.
  expect(dead).toBe(5);
}, 60_000);

/** The kinds of what is there under this name. */
async function thingsOf(name: string): Promise<string[]> {
  const { services = [] } = await hands.ecs.describeServices({ cluster, services: [name] });
  const { taskDefinitionArns = [] } = await hands.ecs.listTaskDefinitions({ familyPrefix: name });
  const { SecretList = [] } = await hands.secrets.listSecrets({});
  return [
    ...services.filter(({ status }) => status === 'ACTIVE').map(() => 'service'),
    ...taskDefinitionArns.filter((arn) => arn.includes(`/${name}:`)).map(() => 'task definition'),
    ...SecretList.filter((one) => one.Name?.endsWith(`/${name}`)).map(() => 'secret'),
  ];
}
