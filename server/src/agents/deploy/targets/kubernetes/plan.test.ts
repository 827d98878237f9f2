import { expect, test } from 'vitest';
import type { NamedTarget } from '../../../../assets/targets/find-targets.ts';
import type { Planned } from '../target.ts';
import { kubernetesKind } from './kubernetes.ts';
import { planOf } from './plan.ts';

const home = { namespace: 'agents', installation_id: '5f0c7a52-3f51-4a30-9d55-6a2f0c7f7f11' };
const planned: Planned = {
  name: 'svc-greeter-00000000',
  revision_id: '00000000-0000-4000-8000-000000000000',
  agent: 'greeter',
  fence: 0,
  image: '<image>',
  variables: { HOME: '/tmp' },
  resources: { memory_bytes: 512 * 1024 ** 2, cpu_count: 1 },
  scaling: { min: 2, max: 5 },
  secrets: ['TOKEN'],
  files: { SVC_JOIN_TOKEN: '<SVC_JOIN_TOKEN>', TOKEN: '<TOKEN>' },
};
const login = { username: 'puller', password: 'the password of the registry' };
const pull = { host: 'registry.example.com', login };
const ways = { service_url: 'https://door.example.com', proxy_url: 'http://192.0.2.7:3128' };
const around = { pull, ways };
const covers = (more: Partial<Planned> = {}) => planOf(home, { ...planned, ...more }, around).covers;

test('T575: a plan has every object of a deploy in its order, and no value of a secret', () => {
  const plan = planOf(home, planned, around);
  expect(plan.requests.map(({ action, resource }) => `${action} ${resource.kind}/${resource.name}`)).toEqual([
    'apply Deployment/svc-greeter-00000000',
    'apply ServiceAccount/svc-greeter-00000000',
    'apply NetworkPolicy/svc-greeter-00000000',
    'apply PodDisruptionBudget/svc-greeter-00000000',
    'apply Secret/svc-greeter-00000000-pull',
    'apply Secret/svc-greeter-00000000-files',
    'merge Deployment/svc-greeter-00000000',
  ]);
  expect(plan.requests.at(-1)?.body).toMatchObject({ spec: { replicas: 2 } });
  expect(plan.requests.at(-2)?.body).toMatchObject({ data: planned.files });
  const text = JSON.stringify(plan);
  for (const value of [login.password, Buffer.from(`${login.username}:${login.password}`).toString('base64')])
    expect(text).not.toContain(value);
  expect(text).not.toContain(Buffer.from('<TOKEN>').toString('base64'));
});

test('an approval covers kinds, size, permissions, reach and the names of secrets; a deploy changes nothing of that', () => {
  expect(covers()).toEqual({
    kinds: ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Secret', 'ServiceAccount'],
    size: { cpu: '1000m', memory: '536870912' },
    permissions: [],
    reach: ['out: *'],
    secrets: ['TOKEN'],
  });
  const next = {
    image: 'registry.example.com/agents@sha256:1',
    fence: 7,
    revision_id: planned.revision_id.replace('0', '1'),
  };
  expect(covers({ ...next, name: 'svc-greeter-10000000', scaling: { min: 3, max: 5 } })).toEqual(covers());
  expect(covers({ egress: ['api.example.com:443'] }).reach).toEqual(['out: api.example.com:443']);
});

test('a plan of a limited agent has its policy, and one that the cluster scales has its scaler', () => {
  const more = { egress: ['api.example.com:443'], scaler: { min: 2, max: 5, target_cpu: 70 } };
  const bodies = planOf(home, { ...planned, ...more }, around).requests.map(({ body }) => body);
  expect(bodies).toContainEqual(
    expect.objectContaining({
      kind: 'NetworkPolicy',
      spec: expect.objectContaining({
        egress: [
          { to: [{ ipBlock: { cidr: '<address of door.example.com>/32' } }], ports: [{ port: 443, protocol: 'TCP' }] },
          { to: [{ ipBlock: { cidr: '192.0.2.7/32' } }], ports: [{ port: 3128, protocol: 'TCP' }] },
        ],
      }),
    }),
  );
  expect(bodies).toContainEqual(
    expect.objectContaining({ kind: 'HorizontalPodAutoscaler', spec: expect.objectContaining({ maxReplicas: 5 }) }),
  );
});

test('a row of this kind plans and has a policy without a connection; its name is the one of the description', () => {
  const parts = { builds: { installation_id: home.installation_id }, outbound: undefined, db: undefined };
  const kind = kubernetesKind(parts as never); // neither a plan nor a policy uses more of them
  const config = {
    kind: 'kubernetes',
    address: 'https://127.0.0.1:1',
    namespace: home.namespace,
    registry: `https://${pull.host}/agents`,
    service_url: 'https://door.example.com',
  };
  const credential = { token: 'the token of the account', registry: login };
  const named = { id: '', name: 'prod', digest: '', config, credential } as NamedTarget; // as a row has it
  const plan = kind.open(named).plan?.({ ...planned, name: `${planned.name}-1` });
  expect(plan).toEqual(planOf(home, planned, { pull, ways: undefined }));
  expect(JSON.stringify(plan)).not.toContain(credential.token);
  expect(kind.policy?.(named).map(({ file }) => file)).toEqual(['gantry-rbac.yaml', 'gantry-admission.yaml']);
});
