// A service on this machine, and a namespace of the cluster as its target: restricted pods only, and a service account with the rights of the
// policy alone.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { clusterRole, role } from '../../server/src/agents/deploy/targets/kubernetes/policy.ts';
import type { Config } from '../../server/src/ground/config/config.ts';
import { testConfig } from '../../server/src/testing/config.ts';
import { testApp, type TestApp } from '../../server/src/testing/test-app.ts';
import { openNamespace, type TestCluster, type TestNamespace } from './cluster.ts';
import { trustRegistry } from './trusted-registry.ts';

export interface TargetStage {
  app: TestApp;
  here: TestNamespace;
  config: Record<string, string>;
  token: string;
  /** The rights in the namespace. */
  role: ReturnType<typeof role>;
  stop(): Promise<void>;
}

export async function openTargetStage(cluster: TestCluster, more: Partial<Config> = {}): Promise<TargetStage> {
  trustRegistry(cluster);
  const here = await openNamespace(cluster);
  await here.kubectl('label', 'namespace', here.name, 'pod-security.kubernetes.io/enforce=restricted');
  const token = await openAccount(cluster, here);
  const app = await testApp({
    config: {
      start_deadline_seconds: 60,
      sync_budget_seconds: 8,
      calm_seconds: 3600,
      outbound_private_hosts: [cluster.host],
      egress_host: cluster.host,
      ...more,
    },
    door_addresses: [cluster.host],
  });
  const door = await openDoor(cluster);
  const ca = await readFile(cluster.api.authority_file, 'utf8');
  const config = {
    kind: 'kubernetes',
    address: cluster.api.url,
    ca,
    namespace: here.name,
    registry: `${cluster.registry.url}/agents`,
    service_url: door.url,
    service_ca: ca,
    egress_proxy_url: `http://${cluster.host}:${testConfig().egress_port}`,
  };
  const stop = async () => {
    await app.stop();
    door.close();
    await here.remove();
    await cluster.kubectl('delete', 'clusterrole,clusterrolebinding', `gantry-${here.name}`);
  };
  return { app, here, config, token, role: role({ name: 'gantry', namespace: here.name }), stop };
}

/** Returns its token. */
async function openAccount(cluster: TestCluster, here: TestNamespace): Promise<string> {
  const metadata = { name: 'gantry', namespace: here.name };
  const account = { kind: 'ServiceAccount', ...metadata };
  const rbac = 'rbac.authorization.k8s.io';
  const apiVersion = `${rbac}/v1`;
  const shared = `gantry-${here.name}`;
  await cluster.apply(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    role(metadata),
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata,
      subjects: [account],
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'gantry' },
    },
    clusterRole(shared),
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: shared },
      subjects: [account],
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: shared },
    },
  );
  return (await here.kubectl('create', 'token', 'gantry', '--duration=2h')).trim();
}

/** The door with TLS, as pods find it. */
async function openDoor(cluster: TestCluster): Promise<{ url: string; close: () => void }> {
  const files = await cluster.certificate();
  const { port } = testConfig().door;
  const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
  const door = createServer({ cert, key }, (socket) => {
    const inside = connect({ host: cluster.host, port });
    for (const [one, other] of [
      [socket, inside],
      [inside, socket],
    ] as const)
      one.on('error', () => other.destroy()).pipe(other);
  }).listen(0, cluster.host);
  await once(door, 'listening');
  const { port: outer } = door.address() as AddressInfo; // it listens on TCP
  return { url: `https://${cluster.host}:${outer}`, close: () => void door.close() };
}
