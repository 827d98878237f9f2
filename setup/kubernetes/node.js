// @ts-check
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { certificateOf, makeCertificate, writeKubeconfig } from './certificates.js';
import { kubeconfigOf } from './control-plane.js';
import { cgroupsOf, endOfLog, startDaemon } from './daemons.js';
import { execute, executeUntilReady } from './execute.js';
import { kubectl } from './kubectl.js';
import { pauseImage } from './pause-image.js';

/** @import { Cluster, Node } from './layout.js' */

/**
 * The programs of a node in its network namespace: containerd, kubelet, kube-proxy, and the controller that enforces NetworkPolicy.
 *
 * @param {Cluster} cluster
 * @param {Node} node
 * @param {{ programs: string, pauseArchive: string }} made
 */
export async function startNode(cluster, node, { programs, pauseArchive }) {
  const run = (/** @type {string} */ name, /** @type {string[]} */ argv) =>
    startDaemon(cluster, { name: `${node.name}-${name}`, argv, namespace: node.namespace });
  const program = (/** @type {string} */ name) => join(programs, name);
  const explain =
    (/** @type {string[]} */ ...names) =>
    () =>
      names.map((name) => endOfLog(cluster, `${node.name}-${name}`)).join('\n');

  makeCgroups(cluster, node);
  mkdirSync(node.folder, { recursive: true });
  writePodNetwork(node);
  run('containerd', ['containerd', '--config', writeContainerdSettings(cluster, node)]);
  const user = `system:node:${node.name}`;
  await makeCertificate(cluster, { name: node.name, user, group: 'system:nodes', hosts: [node.name, node.address] });
  const kubeconfig = writeKubeconfig(cluster, node.name);
  const ctr = ['ctr', '--address', node.socket, '--namespace', 'k8s.io'];
  await executeUntilReady([...ctr, 'version'], { seconds: 30, explain: explain('containerd') });
  await execute([...ctr, 'images', 'import', pauseArchive]);

  const named = `--hostname-override=${node.name}`;
  const root = join(node.folder, 'kubelet');
  const settings = `--config=${writeKubeletSettings(cluster, node)}`;
  run('kubelet', [
    program('kubelet'),
    settings,
    `--kubeconfig=${kubeconfig}`,
    `--root-dir=${root}`,
    `--node-ip=${node.address}`,
    named,
  ]);
  run('kube-proxy', [program('kube-proxy'), `--config=${writeProxySettings(cluster, node)}`, named]);
  const ready = ['wait', '--for=condition=Ready', `node/${node.name}`, '--timeout=5s'];
  await executeUntilReady(kubectl(cluster, programs, ready), {
    seconds: 90,
    explain: explain('kubelet', 'containerd'),
  });
  const services = `--services=${cluster.services}`;
  run('network-policy', [
    program('network-policy'), `--kubeconfig=${kubeconfigOf(cluster, 'network-policy')}`, `--node=${node.name}`, services,
  ]); // prettier-ignore
}

/** One cgroup per node: a kubelet removes pods that it does not know from its own. @param {Cluster} cluster @param {Node} node */
function makeCgroups(cluster, node) {
  for (const top of cgroupsOf(cluster)) {
    const own = join(top, node.name);
    mkdirSync(own, { recursive: true });
    for (const folder of [top, own])
      for (const file of ['cpuset.cpus', 'cpuset.mems'])
        // A new cpuset is empty, and lets no process in.
        if (existsSync(join(folder, file)))
          writeFileSync(join(folder, file), readFileSync(join(dirname(folder), file)));
  }
}

/** A cable from each pod to its node. Traffic between two pods is routed, so the firewall of the node sees it. @param {Node} node */
function writePodNetwork(node) {
  const folder = join(node.folder, 'cni');
  const ipam = {
    type: 'host-local',
    dataDir: join(node.folder, 'addresses'),
    ranges: [[{ subnet: node.pods }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  const plugins = [
    { type: 'ptp', ipam },
    { type: 'portmap', capabilities: { portMappings: true } },
  ];
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, '10-pods.conflist'),
    JSON.stringify({ cniVersion: '1.0.0', name: node.namespace, plugins }),
  );
}

/** @param {Cluster} cluster @param {Node} node */
function writeContainerdSettings(cluster, node) {
  const path = join(node.folder, 'containerd.toml');
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  const text = (/** @type {string} */ value) => JSON.stringify(value);
  const lines = [
    'version = 2',
    `root = ${text(join(node.folder, 'containerd'))}`,
    `state = ${text(join(node.folder, 'state'))}`,
    '[grpc]',
    `address = ${text(node.socket)}`,
    `[${cri}]`,
    `sandbox_image = ${text(pauseImage)}`,
    // Root in a virtual machine may lack the right to lower a score, and then no pod would start.
    'restrict_oom_score_adj = true',
    // Below this folder, so that they go with it.
    'netns_mounts_under_state_dir = true',
    `[${cri}.cni]`,
    'bin_dir = "/usr/lib/cni"',
    `conf_dir = ${text(join(node.folder, 'cni'))}`,
    `[${cri}.registry]`,
    `config_path = ${text(cluster.registries)}`,
    `[${cri}.containerd.runtimes.runc]`,
    'runtime_type = "io.containerd.runc.v2"',
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** @param {Cluster} cluster @param {Node} node */
function writeKubeletSettings(cluster, node) {
  const own = certificateOf(cluster, node.name);
  return write(join(node.folder, 'kubelet.json'), {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: node.address,
    authentication: {
      anonymous: { enabled: false },
      x509: { clientCAFile: certificateOf(cluster, 'authority').certificate },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: own.certificate,
    tlsPrivateKeyFile: own.key,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${node.cgroup}`,
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,
    containerRuntimeEndpoint: `unix://${node.socket}`,
    podLogsDir: join(node.folder, 'logs'),
    resolvConf: '/dev/null',
    clusterDomain: 'cluster.local',
    clusterDNS: [cluster.host],
    nodeStatusUpdateFrequency: '4s',
    // A machine with a nearly full disk still runs the tests.
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  });
}

/** @param {Cluster} cluster @param {Node} node */
function writeProxySettings(cluster, node) {
  return write(join(node.folder, 'kube-proxy.json'), {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
    clientConnection: { kubeconfig: kubeconfigOf(cluster, 'proxy') },
    clusterCIDR: cluster.pods,
    // The limits of the kernel are those of the whole machine.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    oomScoreAdj: 0,
  });
}

/** @param {string} path @param {object} settings */
function write(path, settings) {
  writeFileSync(path, JSON.stringify(settings)); // JSON is YAML
  return path;
}
