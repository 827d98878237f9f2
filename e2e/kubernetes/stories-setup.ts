// The stories of e2e/shared, with a namespace of a cluster in the place of this machine's engine. Their files are the same: here `svc` adds
// `--target cluster` to each deploy and each request for approval that names no target.
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { removeCluster } from '../../setup/kubernetes/cluster.js';
import { ensureCluster } from '../../setup/kubernetes/ensure-cluster.js';
import { freePort } from '../../server/src/testing/servers/free-port.ts';
import { offerStage } from '../offered-stage.ts';
import { openShared, type Shared } from '../shared/global-setup.ts';
import { clusterAt, openNamespace, type TestCluster } from './cluster.ts';
import { applyPolicy, openDoor } from './target-stage.ts';

const node_count = 2;

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const offer = await offerStage(open(), ({ opened, model_url, mcp_port, second_mcp_port, authority }) => ({
    opened,
    model_url,
    mcp_port,
    second_mcp_port,
    authority,
  }));
  project.provide('shared_url', offer.url);
  return async () => await offer.close();
}

async function open(): Promise<Shared & { stop(): Promise<void> }> {
  await using opening = new AsyncDisposableStack();
  const { cluster: made, programs } = await ensureCluster(node_count);
  opening.defer(async () => await removeCluster(made));
  const cluster = clusterAt({ number: made.number, node_count, programs });
  const [door_port, egress_port] = [await freePort(), await freePort()];
  const door = await openDoor(cluster, door_port);
  opening.defer(door.close);
  const shared = await openShared({
    DOOR_HOST: cluster.host,
    DOOR_PORT: String(door_port),
    EGRESS_HOST: cluster.host,
    EGRESS_PORT: String(egress_port),
    NODE_EXTRA_CA_CERTS: cluster.registry.authority_file,
    private_hosts: cluster.host,
  });
  opening.defer(async () => await shared.stop());
  await addTarget(shared, cluster, {
    door_url: door.url,
    egress_proxy_url: `http://${cluster.host}:${egress_port}`,
  });
  await deployThere(join(shared.opened.root, 'bin/svc'));
  const opened = opening.move();
  const authority = await readFile(cluster.api.authority_file, 'utf8');
  return { ...shared, authority, stop: async () => await opened.disposeAsync() };
}

async function addTarget(
  { must, opened }: Awaited<ReturnType<typeof openShared>>,
  cluster: TestCluster,
  { door_url, egress_proxy_url }: { door_url: string; egress_proxy_url: string },
): Promise<void> {
  const here = await openNamespace(cluster);
  await here.kubectl('label', 'namespace', here.name, 'pod-security.kubernetes.io/enforce=restricted');
  const ca = cluster.api.authority_file;
  await must('svc team create targets');
  await must(
    `svc target add cluster --team targets --kind kubernetes --address ${cluster.api.url} --ca ${ca} --namespace ${here.name}` +
      ` --registry ${cluster.registry.url}/agents --service-url ${door_url} --service-ca ${ca} --egress-proxy-url ${egress_proxy_url}`,
  );
  await must('svc target policy cluster --output rights');
  const { token } = await applyPolicy(cluster, here, join(opened.root, 'rights/gantry-rbac.yaml'));
  const token_file = join(opened.root, 'token');
  await writeFile(token_file, token);
  await must(`svc target credential cluster --token ${token_file}`);
  await must('svc target test cluster');
}

async function deployThere(svc: string): Promise<void> {
  const own = `${svc}-of-cluster`;
  await rename(svc, own);
  const words = [
    '#!/bin/sh',
    'case "$1 $*" in',
    `*--target*) exec ${own} "$@" ;;`,
    `deploy\\ *|submit\\ *) exec ${own} "$@" --target cluster ;;`,
    'esac',
    `exec ${own} "$@"`,
  ];
  await writeFile(svc, `${words.join('\n')}\n`);
  await chmod(svc, 0o755);
}
