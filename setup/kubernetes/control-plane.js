// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateOf, makeCertificate, writeKubeconfig } from './certificates.js';
import { endOfLog, startDaemon } from './daemons.js';
import { executeUntilReady } from './execute.js';
import { kubectl } from './kubectl.js';

/** @import { Cluster } from './layout.js' */

const holders = [
  { name: 'admin', user: 'admin', group: 'system:masters' },
  { name: 'kubelet-client', user: 'kubelet-client', group: 'system:masters' },
  { name: 'front-proxy', user: 'front-proxy', group: 'front-proxy' },
  { name: 'controller-manager', user: 'system:kube-controller-manager', group: 'none' },
  { name: 'scheduler', user: 'system:kube-scheduler', group: 'none' },
  { name: 'proxy', user: 'system:kube-proxy', group: 'none' },
  { name: 'coredns', user: 'coredns', group: 'system:masters' },
  { name: 'network-policy', user: 'network-policy', group: 'system:masters' },
];

const withoutKubeconfig = ['kubelet-client', 'front-proxy'];

/**
 * etcd, the API server, the controllers, the scheduler and CoreDNS, as processes of this machine. A lost node is noticed, and its pods
 * move, within half a minute, and a HorizontalPodAutoscaler decides every few seconds: tests wait for both.
 *
 * @param {Cluster} cluster
 * @param {string} programs the folder with them
 */
export async function startControlPlane(cluster, programs) {
  await makeCertificates(cluster);
  const run = (/** @type {string} */ name, /** @type {Record<string, string>} */ flags) =>
    startDaemon(cluster, {
      name,
      argv: [join(programs, name), ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)],
    });
  run('etcd', etcdFlags(cluster));
  run('kube-apiserver', apiserverFlags(cluster));
  await executeUntilReady(kubectl(cluster, programs, ['get', '--raw', '/readyz']), {
    seconds: 90,
    explain: () => `${endOfLog(cluster, 'etcd')}\n${endOfLog(cluster, 'kube-apiserver')}`,
  });
  run('kube-controller-manager', controllerFlags(cluster));
  run('kube-scheduler', {
    ...ownPort(cluster, 10259),
    kubeconfig: kubeconfigOf(cluster, 'scheduler'),
    'leader-elect': 'false',
  });
  startDaemon(cluster, { name: 'coredns', argv: [join(programs, 'coredns'), '-conf', writeCorefile(cluster)] });
}

/** @param {Cluster} cluster @param {string} name */
export function kubeconfigOf(cluster, name) {
  return join(cluster.certificates, `${name}.kubeconfig`);
}

/** @param {Cluster} cluster */
async function makeCertificates(cluster) {
  const service = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ];
  const hosts = [cluster.host, cluster.firstService, ...service];
  await Promise.all([
    makeCertificate(cluster, { name: 'apiserver', user: 'kube-apiserver', group: 'none', hosts }),
    ...holders.map((holder) => makeCertificate(cluster, holder)),
  ]);
  for (const { name } of holders) if (!withoutKubeconfig.includes(name)) writeKubeconfig(cluster, name);
  writeKubeconfig(cluster, 'admin', cluster.kubeconfig);
}

/** @param {Cluster} cluster @returns {Record<string, string>} */
function etcdFlags(cluster) {
  const clients = `http://${cluster.loopback}:2379`;
  const peers = `http://${cluster.loopback}:2380`;
  return {
    'data-dir': join(cluster.folder, 'etcd'),
    'listen-client-urls': clients,
    'advertise-client-urls': clients,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
    'unsafe-no-fsync': 'true', // its data live as long as the cluster
    'log-level': 'warn',
  };
}

/** @param {Cluster} cluster @returns {Record<string, string>} */
function apiserverFlags(cluster) {
  const own = certificateOf(cluster, 'apiserver');
  const kubelet = certificateOf(cluster, 'kubelet-client');
  const frontProxy = certificateOf(cluster, 'front-proxy');
  const authority = certificateOf(cluster, 'authority').certificate;
  const serviceAccounts = certificateOf(cluster, 'service-accounts').key;
  return {
    'etcd-servers': `http://${cluster.loopback}:2379`,
    'bind-address': cluster.host,
    'advertise-address': cluster.host,
    'secure-port': '6443',
    'tls-cert-file': own.certificate,
    'tls-private-key-file': own.key,
    'client-ca-file': authority,
    'anonymous-auth': 'false',
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'kubelet-client-certificate': kubelet.certificate,
    'kubelet-client-key': kubelet.key,
    'kubelet-certificate-authority': authority,
    'kubelet-preferred-address-types': 'InternalIP',
    'service-cluster-ip-range': cluster.services,
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': serviceAccounts,
    'service-account-signing-key-file': serviceAccounts,
    // metrics-server answers behind the API server, which proves to it who asks. This machine has no kube-proxy, so its endpoint is called.
    'enable-aggregator-routing': 'true',
    'proxy-client-cert-file': frontProxy.certificate,
    'proxy-client-key-file': frontProxy.key,
    'requestheader-client-ca-file': authority,
    'requestheader-allowed-names': 'front-proxy',
    'requestheader-username-headers': 'X-Remote-User',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'default-not-ready-toleration-seconds': '5',
    'default-unreachable-toleration-seconds': '5',
  };
}

/** @param {Cluster} cluster @returns {Record<string, string>} */
function controllerFlags(cluster) {
  const authority = certificateOf(cluster, 'authority');
  return {
    ...ownPort(cluster, 10257),
    kubeconfig: kubeconfigOf(cluster, 'controller-manager'),
    'leader-elect': 'false',
    'use-service-account-credentials': 'true',
    'service-account-private-key-file': certificateOf(cluster, 'service-accounts').key,
    'root-ca-file': authority.certificate,
    'cluster-signing-cert-file': authority.certificate,
    'cluster-signing-key-file': authority.key,
    'node-monitor-period': '2s',
    'node-monitor-grace-period': '16s',
    'horizontal-pod-autoscaler-sync-period': '3s',
    'horizontal-pod-autoscaler-cpu-initialization-period': '10s',
    'horizontal-pod-autoscaler-initial-readiness-delay': '5s',
    'horizontal-pod-autoscaler-downscale-stabilization': '15s',
  };
}

/** @param {Cluster} cluster @param {number} port */
function ownPort(cluster, port) {
  return { 'bind-address': cluster.loopback, 'secure-port': String(port) };
}

/** @param {Cluster} cluster */
function writeCorefile(cluster) {
  const path = join(cluster.folder, 'Corefile');
  const plugins = [
    `bind ${cluster.host}`,
    'errors',
    `kubernetes cluster.local {`,
    `  kubeconfig ${kubeconfigOf(cluster, 'coredns')}`,
    '}',
  ];
  mkdirSync(cluster.folder, { recursive: true });
  writeFileSync(path, `.:53 {\n${plugins.map((line) => `  ${line}\n`).join('')}}\n`);
  return path;
}
