// The cluster that the files of this folder share: two nodes, a network that enforces NetworkPolicy, metrics-server, and a registry of images.
// Each file works in a namespace of its own. The files run one after another, because one of them cuts a node off.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { inject } from 'vitest';
import { certificateOf, makeCertificate } from '../../setup/kubernetes/certificates.js';
import { clusterOf, nodeOf } from '../../setup/kubernetes/layout.js';
import { setCable } from '../../setup/kubernetes/network.js';

export interface TestCluster {
  /** The path of a file with all rights. It holds its certificates itself. */
  kubeconfig: string;
  /** This machine, as pods see it. Services that pods call listen there. */
  host: string;
  registry: { url: string; authority_file: string };
  /** The address of its API server, and the file of the authority that signs all certificates of the cluster. */
  api: { url: string; authority_file: string };
  /** Files of a certificate for a server of this machine, as pods see it. */
  certificate(): Promise<{ certificate: string; key: string }>;
  nodes: readonly string[];
  /** The output of `kubectl <args>`. Throws with its message when it fails. */
  kubectl(...args: string[]): Promise<string>;
  apply(...objects: object[]): Promise<void>;
  /** Pulls the cable of a node: its pods go on running, and nobody reaches them. */
  cutOff(node: string): Promise<void>;
  /** Plugs it in again, and waits until the node is ready. */
  bringBack(node: string): Promise<void>;
}

export interface TestNamespace {
  name: string;
  /** As of the cluster, in this namespace. */
  kubectl(...args: string[]): Promise<string>;
  remove(): Promise<void>;
}

const run = promisify(execFile);
const kubectl_timeout_ms = 120_000;
const most_output_bytes = 16_000_000;

export function testCluster(): TestCluster {
  return clusterAt({
    number: inject('kubernetes_cluster'),
    node_count: inject('kubernetes_nodes'),
    programs: inject('kubernetes_programs'),
  });
}

/** `programs` is the folder with kubectl. */
export function clusterAt({
  number,
  node_count,
  programs,
}: {
  number: number;
  node_count: number;
  programs: string;
}): TestCluster {
  const cluster = clusterOf(number);
  const nodes = Array.from({ length: node_count }, (_, index) => nodeOf(cluster, index + 1));
  const program = join(programs, 'kubectl');

  function begin(args: string[]) {
    const options = { timeout: kubectl_timeout_ms, maxBuffer: most_output_bytes };
    return run(program, [`--kubeconfig=${cluster.kubeconfig}`, ...args], options);
  }

  function named(name: string) {
    const node = nodes.find((each) => each.name === name);
    if (node === undefined) throw new Error(`the cluster has no node ${name}`);
    return node;
  }

  const { certificate: authority_file } = certificateOf(cluster, 'authority');
  const kubectl = async (...args: string[]) => (await begin(args)).stdout;
  return {
    kubeconfig: cluster.kubeconfig,
    host: cluster.host,
    registry: { url: `https://${cluster.registry}`, authority_file },
    api: { url: `https://${cluster.api}`, authority_file },
    certificate: async () => {
      const name = 'door';
      await makeCertificate(cluster, { name, user: name, group: 'gantry', hosts: [cluster.host] });
      return certificateOf(cluster, name);
    },
    nodes: nodes.map(({ name }) => name),
    kubectl,
    apply: async (...objects) => {
      const applying = begin(['apply', '--server-side', '-f', '-']);
      applying.child.stdin?.end(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
      await applying;
    },
    cutOff: async (node) => await setCable(named(node), 'down'),
    bringBack: async (node) => {
      await setCable(named(node), 'up');
      await kubectl('wait', '--for=condition=Ready', `node/${node}`, '--timeout=60s');
    },
  };
}

export async function openNamespace(cluster: TestCluster): Promise<TestNamespace> {
  const name = `test-${randomBytes(4).toString('hex')}`;
  await cluster.kubectl('create', 'namespace', name);
  return {
    name,
    kubectl: async (...args) => await cluster.kubectl(`--namespace=${name}`, ...args),
    remove: async () => void (await cluster.kubectl('delete', 'namespace', name, '--wait=false')),
  };
}
