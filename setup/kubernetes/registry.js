// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateOf, makeCertificate } from './certificates.js';
import { endOfLog, startDaemon } from './daemons.js';
import { executeUntilReady } from './execute.js';

/** @import { Cluster } from './layout.js' */

/** Debian's registry of images, with a certificate of the cluster's authority, on the address that nodes reach. @param {Cluster} cluster */
export async function startRegistry(cluster) {
  const name = 'registry';
  await makeCertificate(cluster, { name, user: name, group: 'none', hosts: [cluster.host] });
  const own = certificateOf(cluster, name);
  const settings = {
    version: '0.1',
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(cluster.folder, 'images') }, delete: { enabled: true } },
    http: { addr: cluster.registry, tls: { certificate: own.certificate, key: own.key } },
  };
  const file = join(cluster.folder, 'registry.yml');
  writeFileSync(file, JSON.stringify(settings)); // JSON is YAML
  startDaemon(cluster, { name, argv: ['docker-registry', 'serve', file] });
  writeHosts(cluster);
  const { certificate } = certificateOf(cluster, 'authority');
  const greet = ['openssl', 's_client', '-connect', cluster.registry, '-CAfile', certificate, '-verify_return_error'];
  await executeUntilReady(greet, { seconds: 30, explain: () => endOfLog(cluster, name) });
}

/** By this file containerd trusts the registry. @param {Cluster} cluster */
function writeHosts(cluster) {
  const folder = join(cluster.registries, cluster.registry);
  const { certificate } = certificateOf(cluster, 'authority');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'hosts.toml'),
    `server = "https://${cluster.registry}"\n[host."https://${cluster.registry}"]\n` +
      `capabilities = ["pull", "resolve"]\nca = ${JSON.stringify(certificate)}\n`,
  );
}
