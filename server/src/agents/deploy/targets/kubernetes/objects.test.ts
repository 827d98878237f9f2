import { expect, test } from 'vitest';
import * as objects from './objects.ts';

const home = { namespace: 'agents', installation_id: '5f0c7a52-3f51-4a30-9d55-6a2f0c7f7f11' };
const input = {
  name: 'svc-greeter-0a1b2c3d',
  revision_id: '0a1b2c3d-0000-4000-8000-000000000000',
  agent: 'greeter',
  fence: 3,
  image: `registry.example.com/agents@sha256:${'a'.repeat(64)}`,
  variables: { HOME: '/tmp' },
  resources: { memory_bytes: 512 * 1024 ** 2, cpu_count: 1 },
  has_pull_secret: true,
};
const owner = { name: input.name, uid: 'the uid of the Deployment', revision_id: input.revision_id };
const pod = () => objects.deployment(home, input).spec?.template.spec;

test('a pod fits the restricted standard: no root, no capability, no writable file system, no token', () => {
  expect(pod()).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        image: input.image,
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: {
          requests: { cpu: '250m', memory: '536870912' },
          limits: { cpu: '1000m', memory: '536870912' },
        },
      },
    ],
    imagePullSecrets: [{ name: 'svc-greeter-0a1b2c3d-pull' }],
  });
});

test('only the memory can be written, and its files are the secrets of this revision', () => {
  expect(pod()?.volumes).toEqual([
    { name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: '268435456' } },
    { name: 'secrets', secret: { secretName: 'svc-greeter-0a1b2c3d-files', defaultMode: 0o444 } },
  ]);
});

test('another attempt describes the same pods, so it replaces none', () => {
  const again = objects.deployment(home, { ...input, fence: 4 });
  expect(again.spec?.template).toEqual(objects.deployment(home, input).spec?.template);
});

test('a RuntimeClass and a login of the registry are there only where the target has them', () => {
  const isolated = objects.deployment({ ...home, runtime_class: 'gvisor' }, { ...input, has_pull_secret: false });
  expect(isolated.spec?.template.spec).toMatchObject({ runtimeClassName: 'gvisor' });
  expect(isolated.spec?.template.spec).not.toHaveProperty('imagePullSecrets');
  expect(pod()).not.toHaveProperty('runtimeClassName');
});

test('the Deployment owns every other object, so the cluster removes them with it', () => {
  const beside = [
    objects.secret(home, owner, { name: objects.secretOf(owner.name), values: { KEY: 'value' } }),
    objects.pullSecret(home, owner, { host: 'registry.example.com', login: { username: 'ada', password: 'a word' } }),
    objects.serviceAccount(home, owner),
    objects.networkPolicy(home, owner),
    objects.disruptionBudget(home, owner),
  ];
  for (const { metadata } of beside)
    expect(metadata?.ownerReferences).toEqual([
      { apiVersion: 'apps/v1', kind: 'Deployment', name: owner.name, uid: owner.uid },
    ]);
});

test('nothing calls a pod, and a Secret has the very bytes', () => {
  expect(objects.networkPolicy(home, owner).spec).toEqual({
    podSelector: { matchLabels: objects.labelsOf(home, owner.revision_id) },
    policyTypes: ['Ingress'],
  });
  const { data } = objects.secret(home, owner, { name: 'files', values: { KEY: 'ä\r\n' } });
  expect(Buffer.from(data?.['KEY'] ?? '', 'base64').toString()).toBe('ä\r\n');
});
