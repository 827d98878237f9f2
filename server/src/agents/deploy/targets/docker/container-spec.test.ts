import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { connectEngine } from '../../../../assets/docker/client.ts';
import { composeFile } from './compose-file.ts';
import { startVariables } from '../../instance-environment.ts';
import { containerSpec, type ContainerInput } from './container-spec.ts';

const engine = connectEngine({ installation_id: 'installation-1' });
const input: ContainerInput = {
  agent: 'greeter',
  revision_id: '0192f0c4-1111-7000-8000-000000000000',
  instance_id: '0192f0c4-2222-7000-8000-000000000000',
  name: 'svc-greeter-0192f0c4-1',
  fence: 3,
  variables: startVariables('0192f0c4-1111-7000-8000-000000000000'),
  image: `sha256:${'a'.repeat(64)}`,
  resources: { cpu_count: 0.5, memory_bytes: 512 * 1024 ** 2 },
  network: { name: 'svc-agents-x', internal: false },
  secrets: { Type: 'bind', Source: '/run/gantry/greeter', BindOptions: { Propagation: 'rprivate' } },
};
const spec = containerSpec(engine, input);

test('a container has every restriction and no setting that weakens one', () => {
  expect(spec.HostConfig).toEqual({
    NetworkMode: 'svc-agents-x',
    ReadonlyRootfs: true,
    Tmpfs: { '/tmp': 'rw,nosuid,nodev,noexec,mode=1777,size=268435456' },
    Mounts: [
      {
        Type: 'bind',
        Source: '/run/gantry/greeter',
        Target: '/run/secrets',
        ReadOnly: true,
        BindOptions: { Propagation: 'rprivate' },
      },
    ],
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Init: true,
    Memory: 536870912,
    MemorySwap: 536870912,
    NanoCpus: 500000000,
    PidsLimit: 512,
    IpcMode: 'private',
    RestartPolicy: { Name: 'no' },
    LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
  });
  expect(spec.User).toBe('10001:10001');
  expect(Object.keys(spec).toSorted()).toEqual(
    [
      'Cmd',
      'Entrypoint',
      'Env',
      'HostConfig',
      'Image',
      'Labels',
      'StopTimeout',
      'User',
      'WorkingDir',
      'name',
    ].toSorted(),
  );
});

test('a container starts from an image id, which no tag can change', () => {
  expect(spec.Image).toBe(input.image);
});

test('a container has labels for its owner and its fence', () => {
  expect(spec.Labels).toEqual({
    'gantry.installation': 'installation-1',
    'gantry.purpose': 'agent',
    'gantry.agent': 'greeter',
    'gantry.revision': input.revision_id,
    'gantry.instance': '0192f0c4-2222-7000-8000-000000000000',
    'gantry.fence': '3',
  });
});

test('only a limited container has its destinations as a label, also when it has none', () => {
  const labelOf = (egress?: string[]) => containerSpec(engine, { ...input, egress }).Labels['gantry.egress'];
  expect([labelOf(), labelOf([]), labelOf(['a.b:1', '*.c.d:2'])]).toEqual([undefined, '', 'a.b:1 *.c.d:2']);
});

test('a container on an internal network gets no resolver that could carry data out', () => {
  const closed = containerSpec(engine, { ...input, network: { name: 'svc-agents-x', internal: true } });
  expect(closed.HostConfig.Dns).toEqual(['127.0.0.1']);
});

test('the compose file describes the same container without its secrets', () => {
  const text = composeFile(spec);
  expect(text).not.toContain('/run/gantry');
  const { services, networks } = parse(text);
  expect(services.agent).toMatchObject({
    image: input.image,
    user: '10001:10001',
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges'],
    mem_limit: 536870912,
    cpus: 0.5,
    pids_limit: 512,
    init: true,
    restart: 'no',
    networks: ['agents'],
  });
  for (const opening of ['ports', 'volumes', 'privileged', 'cap_add', 'devices', 'network_mode', 'pid', 'secrets']) {
    expect(services.agent).not.toHaveProperty(opening);
  }
  expect(networks).toEqual({ agents: { external: true, name: 'svc-agents-x' } });
});
