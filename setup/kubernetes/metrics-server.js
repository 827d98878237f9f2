// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateOf, makeCertificate, writeKubeconfig } from './certificates.js';
import { endOfLog, startDaemon } from './daemons.js';
import { executeUntilReady } from './execute.js';
import { apply, kubectl } from './kubectl.js';

/** @import { Cluster } from './layout.js' */

const name = 'metrics-server';
const namespace = 'kube-system';
const port = 4443;

/**
 * metrics-server as a process of this machine. The API server finds it as the endpoint of a Service.
 *
 * @param {Cluster} cluster
 * @param {string} programs
 */
export async function startMetricsServer(cluster, programs) {
  await makeCertificate(cluster, { name, user: name, group: 'system:masters', hosts: [`${name}.${namespace}.svc`] });
  const kubeconfig = writeKubeconfig(cluster, name);
  const own = certificateOf(cluster, name);
  startDaemon(cluster, {
    name,
    argv: [
      join(programs, name),
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      `--bind-address=${cluster.host}`,
      `--secure-port=${port}`,
      `--tls-cert-file=${own.certificate}`,
      `--tls-private-key-file=${own.key}`,
      `--kubelet-certificate-authority=${certificateOf(cluster, 'authority').certificate}`,
      '--kubelet-preferred-address-types=InternalIP',
      '--kubelet-request-timeout=5s',
      '--metric-resolution=10s',
    ],
  });
  await apply(cluster, programs, [service(), endpoint(cluster), apiService(cluster)]);
}

/** It answers. Its first numbers follow some seconds later, after its second look at the nodes. @param {Cluster} cluster @param {string} programs */
export async function awaitMetricsServer(cluster, programs) {
  const available = ['wait', '--for=condition=Available', 'apiservice/v1beta1.metrics.k8s.io', '--timeout=5s'];
  const argv = kubectl(cluster, programs, available);
  await executeUntilReady(argv, { seconds: 60, explain: () => endOfLog(cluster, name) });
}

function service() {
  const ports = [{ port: 443, targetPort: port }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec: { ports } };
}

/** @param {Cluster} cluster */
function endpoint(cluster) {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: '', port, protocol: 'TCP' }],
    endpoints: [{ addresses: [cluster.host], conditions: { ready: true } }],
  };
}

/** @param {Cluster} cluster */
function apiService(cluster) {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.metrics.k8s.io' },
    spec: {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { name, namespace },
      caBundle: readFileSync(certificateOf(cluster, 'authority').certificate).toString('base64'),
    },
  };
}
