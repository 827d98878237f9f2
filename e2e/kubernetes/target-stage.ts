// A service on this machine, and a namespace of the cluster as its target: restricted pods only, and a service account with the rights of the
// policy alone.
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { policyFile } from '../../server/src/agents/deploy/targets/kubernetes/policy.ts';
import type { TargetFile } from '../../server/src/agents/deploy/targets/target.ts';
import type { Config } from '../../server/src/ground/config/config.ts';
import { installationId } from '../../server/src/people/principals/find.ts';
import { testConfig } from '../../server/src/testing/config.ts';
import { testApp, type TestApp } from '../../server/src/testing/test-app.ts';
import { openNamespace, type TestCluster, type TestNamespace } from './cluster.ts';
import { trustRegistry } from './trusted-registry.ts';

export interface TargetStage extends Account {
  app: TestApp;
  here: TestNamespace;
  config: Record<string, string>;
  stop(): Promise<void>;
}

interface Account {
  policy: TargetFile;
  /** The name of the account and of its roles. */
  account: string;
  token: string;
  /** What is outside of the namespace. */
  remove(): Promise<void>;
}

export async function openTargetStage(cluster: TestCluster, more: Partial<Config> = {}): Promise<TargetStage> {
  trustRegistry(cluster);
  const here = await openNamespace(cluster);
  await here.kubectl('label', 'namespace', here.name, 'pod-security.kubernetes.io/enforce=restricted');
  const app = await testApp({
    config: {
      start_deadline_seconds: 60,
      sync_budget_seconds: 25,
      calm_seconds: 3600,
      outbound_private_hosts: [cluster.host],
      egress_host: cluster.host,
      ...more,
    },
    door_addresses: [cluster.host],
  });
  const made = await openAccount(cluster, here, await installationId(app.db));
  const door = await openDoor(cluster, testConfig().door.port);
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
    await made.remove();
  };
  return { app, here, config, ...made, stop };
}

/** Applies the policy of the service as its owner does. */
export async function openAccount(
  cluster: TestCluster,
  here: TestNamespace,
  installation_id: string,
): Promise<Account> {
  const policy = policyFile({ namespace: here.name, installation_id });
  const folder = await mkdtemp(join(tmpdir(), 'gantry-policy-'));
  const path = join(folder, policy.file);
  await writeFile(path, policy.content);
  const made = await applyPolicy(cluster, here, path);
  await rm(folder, { recursive: true });
  return { policy, ...made };
}

export async function applyPolicy(
  cluster: TestCluster,
  here: TestNamespace,
  policy_path: string,
): Promise<Omit<Account, 'policy'>> {
  await cluster.kubectl('apply', '-f', policy_path);
  const [account = ''] = (await here.kubectl('get', 'role', '-o', 'name')).trim().split('\n');
  const name = account.replace(/.*\//, '');
  const remove = async () =>
    void (await cluster.kubectl('delete', 'clusterrole,clusterrolebinding', `${name}-${here.name}`));
  return {
    remove,
    account: name,
    token: (await here.kubectl('create', 'token', name, '--duration=2h')).trim(),
  };
}

/** The door with TLS, as pods find it. */
export async function openDoor(cluster: TestCluster, port: number): Promise<{ url: string; close: () => void }> {
  const files = await cluster.certificate();
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
