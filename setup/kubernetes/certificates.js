// @ts-check
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from './execute.js';

/** @import { Cluster } from './layout.js' */

const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];

/** @param {Cluster} cluster @param {string} name */
export function certificateOf(cluster, name) {
  const path = join(cluster.certificates, name);
  return { certificate: `${path}.crt`, key: `${path}.key` };
}

/** The authority of the cluster, and the key pair that signs the tokens of service accounts. @param {Cluster} cluster */
export async function makeAuthority(cluster) {
  mkdirSync(cluster.certificates, { recursive: true, mode: 0o700 });
  const authority = certificateOf(cluster, 'authority');
  const serviceAccounts = certificateOf(cluster, 'service-accounts');
  const subject = ['-subj', `/CN=${cluster.name}`];
  await Promise.all([
    execute(['openssl', 'req', '-x509', ...key, ...subject, '-keyout', authority.key, '-out', authority.certificate]),
    execute([
      'openssl',
      'genpkey',
      '-algorithm',
      'RSA',
      '-pkeyopt',
      'rsa_keygen_bits:2048',
      '-out',
      serviceAccounts.key,
    ]),
  ]);
}

/**
 * A certificate for a client, a server or both.
 *
 * @param {Cluster} cluster
 * @param {{ name: string, user: string, group: string, hosts?: string[] }} holder Kubernetes reads user and group from the certificate
 */
export async function makeCertificate(cluster, { name, user, group, hosts = [] }) {
  const authority = certificateOf(cluster, 'authority');
  const own = certificateOf(cluster, name);
  const names = hosts.map((host) => (/^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`));
  await execute([
    'openssl', 'req', '-x509', ...key, '-CA', authority.certificate, '-CAkey', authority.key, '-subj', `/O=${group}/CN=${user}`,
    '-addext', 'basicConstraints=critical,CA:FALSE', '-addext', 'extendedKeyUsage=serverAuth,clientAuth',
    ...(names.length === 0 ? [] : ['-addext', `subjectAltName=${names.join(',')}`]),
    '-keyout', own.key, '-out', own.certificate,
  ]); // prettier-ignore
}

/** A file with which the holder of a certificate calls the API server. It needs no other file. @param {Cluster} cluster @param {string} name @param {string} path */
export function writeKubeconfig(cluster, name, path = join(cluster.certificates, `${name}.kubeconfig`)) {
  const own = certificateOf(cluster, name);
  const encoded = (/** @type {string} */ file) => readFileSync(file).toString('base64');
  const authority = encoded(certificateOf(cluster, 'authority').certificate);
  const user = { 'client-certificate-data': encoded(own.certificate), 'client-key-data': encoded(own.key) };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: cluster.name, cluster: { server: `https://${cluster.api}`, 'certificate-authority-data': authority } },
    ],
    users: [{ name, user }],
    contexts: [{ name: cluster.name, context: { cluster: cluster.name, user: name } }],
    'current-context': cluster.name,
  };
  writeFileSync(path, JSON.stringify(kubeconfig), { mode: 0o600 }); // JSON is YAML
  return path;
}
