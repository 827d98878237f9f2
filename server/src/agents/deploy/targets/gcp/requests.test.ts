// The requests of a revision against the descriptions of Google's APIs and our own rules. Nothing is sent.
import { expect, test } from 'vitest';
import { described, planning } from '../../../../testing/agents/gcp-revision.ts';
import { asSent, checkAgainstDiscovery } from '../../../../testing/servers/google-discovery.ts';
import { pathOf } from './google.ts';
import { brokenRules } from './plan-rules.ts';
import { planOf, requestsOf, type RevisionRequests } from './plan.ts';
import {
  numberOf,
  poolId,
  redescription,
  replica,
  replicaId,
  secretVersion,
  template,
  type GoogleRequest,
} from './requests.ts';
import { isRunSize, runSize } from './run-size.ts';
import { seal, sealingKey, unseal } from '../sealed.ts';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;
const key = 'the key of a test';
const requests = requestsOf(described, planning, { key });
const described_template = requests.description.body.template;
const [container] = described_template.containers;

test('every request of a revision fits the descriptions and the rules that they lack', async () => {
  const all: GoogleRequest[] = [
    requests.secret,
    secretVersion(described.name, planning, seal(key, '{}')),
    requests.description,
    redescription(described, planning, { template: described_template, etag: '"a"' }),
    replica(described.name, planning, { number: 2, template: described_template }),
  ];
  expect(await checkAgainstDiscovery(all.map(asSent))).toEqual(all.map(() => []));
  expect(brokenRules(requests)).toEqual([]);
}, 120_000);

test('the descriptions find a wrong path, verb, parameter, field, type, enum, missing field, and one that is answered only', async () => {
  const right = asSent(requests.description);
  const body = requests.description.body;
  const wrong = [
    { ...right, method: 'run.projects.locations.workerPools.make' },
    { ...right, path: right.path.replace('/locations/', '/regions/') },
    { ...right, verb: 'PUT' },
    { ...right, path: right.path.replace('workerPoolId', 'workerPoolID') },
    { ...right, path: `${right.path}&validateOnly=perhaps` },
    { ...right, body: { ...body, replicas: 1 } },
    { ...right, body: { ...body, scaling: { manualInstanceCount: '1' } } },
    { ...right, body: { ...body, scaling: { manualInstanceCount: 2 ** 31 } } },
    { ...right, body: { ...body, launchStage: 'GAMMA' } },
    { ...right, body: { ...body, uid: 'x' } },
    { ...right, body: { scaling: body.scaling } },
    { ...right, body: { ...body, template: { ...body.template, containers: [{ name: 'agent' }] } } },
    { ...asSent(secretVersion('x', planning, '')), body: { payload: { data: 'no base64!' } } },
    { ...right, body: undefined },
  ];
  for (const [at, faults] of (await checkAgainstDiscovery(wrong)).entries()) expect([at, faults]).not.toEqual([at, []]);
}, 120_000);

test('the same revision has the same names and requests, and a long name a short one of its own', () => {
  expect(requestsOf(described, planning, { key })).toEqual(requests);
  const long = `svc-${'a'.repeat(60)}-a1b2c3d4`;
  expect(poolId(long)).toHaveLength(42);
  expect(poolId(long)).not.toBe(poolId(`${long.slice(0, -1)}5`));
  expect(replicaId(long, 9999).length).toBeLessThan(50);
});

test('T592 a replica that says another name than its own is none of this description', () => {
  expect(numberOf(described.name, replicaId(described.name, 12))).toBe(12);
  for (const other of ['svc-other-a1b2c3d4-r1', `${described.name}-r01`, `${described.name}-r1" OR "x`, '', 'r1'])
    expect(numberOf(described.name, other)).toBeUndefined();
});

test('T592 a name that would be another path is never sent', () => {
  const name = 'projects/my-project/locations/europe-west1/workerPools/..';
  expect(() => pathOf({ method: 'run.projects.locations.workerPools.delete', name })).toThrow('is no name');
  for (const part of ['a b', 'a?b', 'a#b', 'a%2fb', 'a\nb'])
    expect(() => pathOf({ method: 'run.projects.locations.workerPools.get', name: part })).toThrow('is no name');
});

test('T591 no request of a plan has a key or a value of a secret, and Secret Manager gets sealed values alone', () => {
  const plan = planOf(
    { ...described, scaling: { min: 1, max: 3 }, secrets: ['TOKEN'], files: { TOKEN: '<TOKEN>' } },
    planning,
  );
  expect(JSON.stringify(plan)).not.toContain(key);
  expect(plan).toMatchObject({
    broken: [],
    covers: {
      kinds: ['secret', 'worker pool'],
      size: { cpu: '1', memory: '1024Mi' },
      permissions: ['service account agents@my-project.iam.gserviceaccount.com'],
      secrets: ['TOKEN'],
    },
  });
  const sealed = seal(key, '{"TOKEN":"never told"}');
  expect(Buffer.from(sealed, 'base64').toString()).not.toContain('never told');
  expect(sealed).not.toBe(seal(key, '{"TOKEN":"never told"}'));
  expect(unseal(key, sealed)).toBe('{"TOKEN":"never told"}');
  expect(() => unseal('another key', sealed)).toThrow('were not sealed with its key');
  const changed = Buffer.from(sealed, 'base64');
  changed[70] = (changed[70] ?? 0) ^ 1;
  expect(() => unseal(key, changed.toString('base64'))).toThrow('were not sealed with its key');
  expect(() => unseal(key, '')).toThrow('were not sealed with its key');
  const service_key = Buffer.alloc(32);
  expect(sealingKey(service_key, 'one')).toBe(sealingKey(service_key, 'one'));
  expect(sealingKey(service_key, 'one')).not.toBe(sealingKey(service_key, 'two'));
});

test('a replica has the secret by reference, no port, no command of a shell, and its own service account', () => {
  expect(container).toMatchObject({
    command: ['/opt/venv/bin/python', '-m', '_svc_wrapper'],
    env: [
      { name: 'SVC_AGENT_NAME', value: 'parrot' },
      { name: 'SVC_SECRETS_KEY', value: key },
      { name: 'SVC_SECRETS', valueSource: { secretKeyRef: { version: 'latest' } } },
    ],
  });
  expect(container).not.toHaveProperty('ports');
  expect(described_template.serviceAccount).toBe(planning.settings.service_account);
});

test('a size between two of Cloud Run is rounded up and said, and an impossible one is refused', () => {
  expect(runSize({ cpu_count: 1, memory_bytes: GiB })).toEqual({ cpu: 1, memory: 1024 });
  expect(runSize({ cpu_count: 0.5, memory_bytes: 256 * MiB })).toEqual({
    cpu: 1,
    memory: 512,
    rounded: 'Cloud Run has no size with 0.5 CPU and 256 MiB. The agent gets 1 CPU and 512 MiB.',
  });
  expect(runSize({ cpu_count: 1, memory_bytes: 6 * GiB })).toMatchObject({ cpu: 2, memory: 6144 });
  expect(runSize({ cpu_count: 3, memory_bytes: GiB })).toMatchObject({ cpu: 4, memory: 2048 });
  expect(() => runSize({ cpu_count: 9, memory_bytes: GiB })).toThrow('Cloud Run has no size with 9 CPU');
  for (let cpu = 0.25; cpu <= 8; cpu += 0.25)
    for (let memory = 128; memory <= 32_768; memory += 640)
      expect(isRunSize(runSize({ cpu_count: cpu, memory_bytes: memory * MiB }))).toBe(true);
});

const broken = (change: (own: RevisionRequests) => void) => {
  const own = structuredClone(requests);
  change(own);
  return brokenRules(own);
};
type Container = NonNullable<typeof container>;
const containerOf = (own: RevisionRequests): Container => own.description.body.template.containers[0] as Container; // there is one

test.each<[string, (own: RevisionRequests) => void]>([
  ['is not named by its digest', (own) => (containerOf(own).image = 'europe-west1-docker.pkg.dev/a/b/c:latest')],
  ['have no service account', (own) => (own.description.body.template.serviceAccount = '')],
  ['has no size with 1 CPU and 8192Mi', (own) => (containerOf(own).resources.limits['memory'] = '8192Mi')],
  ['has no size with 3 CPU', (own) => (containerOf(own).resources.limits['cpu'] = '3')],
  ['has SVC_SECRETS twice', (own) => containerOf(own).env.push({ name: 'SVC_SECRETS', value: 'x' })],
  ['Cloud Run sets PORT itself', (own) => containerOf(own).env.push({ name: 'PORT', value: '80' })],
  [
    'takes 32768 bytes in a variable, and BIG',
    (own) => containerOf(own).env.push({ name: 'BIG', value: 'ä'.repeat(16_385) }),
  ],
  ['takes no such labels: gantry-agent=Parrot', (own) => (own.description.body.labels['gantry-agent'] = 'Parrot')],
])('a rule that the descriptions lack: %s', (sentence, change) => {
  expect(broken(change).join(' ')).toContain(sentence);
});

test('a name that Google would refuse is refused before', () => {
  const own = requestsOf({ ...described, name: 'svc-Parrot' }, planning, { key });
  expect(brokenRules(own).join(' ')).toContain('The worker pool svc-Parrot has other characters');
});

test('a plan before the build breaks no rule', () => {
  const planned = { ...described, image: '<image>', scaling: { min: 0, max: 3 }, secrets: [], files: {} };
  expect(planOf(planned, planning).broken).toEqual([]);
});

test('a repeated description of another attempt has the same template, so it replaces no replica', () => {
  const { fence: _, ...rest } = described;
  expect(template(rest, planning, { key })).toEqual(described_template);
});
