// The requests of a revision against Azure's own client and our own rules. Nothing is sent.
import { expect, test } from 'vitest';
import { described, planning } from '../../../../testing/agents/azure-revision.ts';
import { schemaFaults } from '../../../../testing/servers/azure-schema.ts';
import { appSize, isAppSize } from './app-size.ts';
import { pathOf } from './azure-client.ts';
import { brokenRules } from './plan-rules.ts';
import { planOf } from './plan.ts';
import { appName, baseId, numberOf, replica, replicaId, template, type ReplicaRequest } from './requests.ts';

const GiB = 1024 ** 3;
const key = 'the key of a test';
const of = { number: 1, template: template(described), fence: 1, key, sealed: 'sealed' };
const request = replica(described, planning, of);
const { body } = request;
const [container] = body.properties.template.containers;

test('the request of a replica is the one that Azure’s client makes of it, and fits the rules that the client lacks', async () => {
  expect(await schemaFaults(request)).toEqual([]);
  expect(brokenRules(request)).toEqual([]);
});

test('Azure’s client finds a wrong path, field and type, and a missing field', async () => {
  const { properties } = body;
  const { configuration } = properties;
  const wrong = [
    { ...request, name: request.name.replace('containerApps', 'containerapp') },
    { ...request, body: { ...body, replicas: 1 } },
    { ...request, body: { ...body, properties: { ...properties, template: { scale: { minimum: 1 } } } } },
    { ...request, body: { ...body, properties: { ...properties, template: { scale: { minReplicas: '1' } } } } },
    { ...request, body: { ...body, location: undefined } },
    { ...request, body: { ...body, properties: { ...properties, configuration: { identitySettings: [{}] } } } },
    {
      ...request,
      body: { ...body, properties: { ...properties, configuration: { ...configuration, secret: [] } } },
    },
  ];
  for (const [at, one] of wrong.entries()) expect([at, await schemaFaults(one)]).not.toEqual([at, []]);
});

test('the same revision has the same names and requests, and a long name a short one of its own', () => {
  expect(replica(described, planning, of)).toEqual(request);
  const long = `svc-${'a'.repeat(60)}-a1b2c3d4`;
  expect(baseId(long)).toHaveLength(26);
  expect(baseId(long)).not.toBe(baseId(`${long.slice(0, -1)}5`));
  expect(replicaId(long, 9999)).toHaveLength(32);
  for (const name of ['svc-a--b-a1b2c3d4', `svc-abcdefgh-${'b'.repeat(30)}`])
    expect(replicaId(name, 1)).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)+$/);
});

test('T604 a replica that says another name than its own is none of this description', () => {
  expect(numberOf(described.name, replicaId(described.name, 12))).toBe(12);
  for (const other of ['svc-other-a1b2c3d4-r1', `${described.name}-r01`, `${described.name}-r1" or "x`, '', 'r1'])
    expect(numberOf(described.name, other)).toBeUndefined();
});

test('T604 an id that would be another path is never sent', () => {
  for (const id of ['..', 'a b', 'a?b', 'a#b', 'a%2fb', 'a\nb'])
    expect(() => pathOf({ method: 'ContainerApps.delete', name: appName(planning.settings, id) })).toThrow('is no id');
});

test('T603 no request of a plan has a key or a value of a secret, and an approval covers what it makes', () => {
  const plan = planOf(
    { ...described, scaling: { min: 1, max: 3 }, secrets: ['TOKEN'], files: { TOKEN: '<TOKEN>' } },
    planning,
  );
  expect(JSON.stringify(plan)).toContain('<the key of the revision>');
  expect(JSON.stringify(plan)).toContain('<the sealed values>');
  expect(plan).toMatchObject({
    broken: [],
    requests: [{ action: 'PUT ContainerApps.createOrUpdate', resource: { name: `${described.name}-r1` } }],
    covers: {
      kinds: ['container app'],
      size: { cpu: '1', memory: '2Gi' },
      permissions: [`managed identity ${planning.settings.identity}`],
      reach: ['out: *'],
      secrets: ['TOKEN'],
    },
  });
  expect(plan.cost).toBeUndefined();
  // As it is asked for before the build.
  const before = { ...described, image: '<image>', fence: 0, scaling: { min: 1, max: 3 }, secrets: [], files: {} };
  expect(planOf(before, planning).broken).toEqual([]);
  const asleep = planOf({ ...described, scaling: { min: 0, max: 3 }, secrets: [], files: {} }, planning);
  expect(asleep.requests).toEqual([]);
  expect(asleep.covers.kinds).toEqual(['container app']);
});

test('T603 a replica has no ingress, always one replica, an identity for its image alone, and its secret by reference', () => {
  const { configuration, template: made } = body.properties;
  expect(configuration).not.toHaveProperty('ingress');
  expect(configuration.identitySettings).toEqual([{ identity: planning.settings.identity, lifecycle: 'None' }]);
  expect(made.scale).toEqual({ minReplicas: 1, maxReplicas: 1 });
  expect(container).toMatchObject({
    command: ['/opt/venv/bin/python', '-m', '_svc_wrapper'],
    env: [
      { name: 'SVC_AGENT_NAME', value: 'parrot' },
      { name: 'SVC_SECRETS_KEY', value: key },
      { name: 'SVC_SECRETS', secretRef: 'svc-secrets' },
    ],
  });
});

test('a size between two of Container Apps is rounded up and said, and an impossible one is refused', () => {
  expect(appSize({ cpu_count: 1, memory_bytes: 2 * GiB })).toEqual({ cpu: 1, memory: 2 });
  expect(appSize({ cpu_count: 0.1, memory_bytes: 3 * GiB })).toEqual({
    cpu: 1.5,
    memory: 3,
    rounded: 'Container Apps has no size with 0.1 CPU and 3 GiB. The agent gets 1.5 CPU and 3 GiB.',
  });
  expect(appSize({ cpu_count: 0.01, memory_bytes: 1 })).toMatchObject({ cpu: 0.25, memory: 0.5 });
  expect(() => appSize({ cpu_count: 5, memory_bytes: GiB })).toThrow('Container Apps has no size with 5 CPU');
  expect(() => appSize({ cpu_count: 1, memory_bytes: 9 * GiB })).toThrow('Its largest has 4 CPU and 8 GiB');
  for (let cpu = 0.05; cpu <= 4; cpu += 0.05)
    for (let memory = 0.1; memory <= 8; memory += 0.1)
      expect(isAppSize(appSize({ cpu_count: cpu, memory_bytes: memory * GiB }))).toBe(true);
});

type Container = NonNullable<typeof container>;
const broken = (change: (own: ReplicaRequest, container: Container) => void) => {
  const own = structuredClone(request);
  change(own, own.body.properties.template.containers[0]);
  return brokenRules(own).join(' ');
};

test.each<[string, (own: ReplicaRequest, container: Container) => void]>([
  ['is not named by its digest', (_, one) => Object.assign(one, { image: 'gantryagents.azurecr.io/agents:latest' })],
  ['has no size with 1 CPU and 8Gi', (_, one) => Object.assign(one.resources, { memory: '8Gi' })],
  ['has SVC_SECRETS twice', (_, one) => one.env.push({ name: 'SVC_SECRETS', value: 'x' })],
  ['sets CONTAINER_APP_NAME itself', (_, one) => one.env.push({ name: 'CONTAINER_APP_NAME', value: 'x' })],
  ['takes no such tags: gantry-agent', (own) => (own.body.tags['gantry-agent'] = 'x'.repeat(257))],
  [
    'svc-Parrot has other characters',
    (own) => Object.assign(own, { name: own.name.replace('svc-parrot-a1b2c3d4', 'svc-Parrot') }),
  ],
])('a rule that the client lacks: %s', (sentence, change) => {
  expect(broken(change)).toContain(sentence);
});
