// @ts-check
import { existsSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeAuthority } from './certificates.js';
import { claimCluster, claimedClusters } from './claim.js';
import { startControlPlane } from './control-plane.js';
import { cgroupsOf, endOfLog, killDaemons } from './daemons.js';
import { execute, executeUntilReady } from './execute.js';
import { restoreKernelSettings, saveKernelSettings } from './kernel-settings.js';
import { keepParams } from './keep-params.js';
import { kubectl } from './kubectl.js';
import { most_nodes, nodeOf } from './layout.js';
import { awaitMetricsServer, startMetricsServer } from './metrics-server.js';
import { connectNode, makeBridge, removeBridge, removeNamespace } from './network.js';
import { startNode } from './node.js';
import { writePauseImage } from './pause-image.js';
import { startRegistry } from './registry.js';

/** @import { Cluster } from './layout.js' */

/**
 * Brings a new cluster up. It belongs to this process, and the next call of this function by anyone removes it if this process has died.
 *
 * @param {{ programs: string, nodes: number, say: (doing: string) => void }} o
 */
export async function openCluster({ programs, nodes, say }) {
  for (const { cluster, owner } of claimedClusters()) if (owner === 'dead') await removeCluster(cluster);
  const cluster = await claimCluster();
  try {
    saveKernelSettings();
    await bringUp(cluster, { programs, nodes, say });
    return cluster;
  } catch (error) {
    await removeCluster(cluster);
    throw error;
  }
}

/** Removes all clusters but those of processes that live. @returns {Promise<number>} how many */
export async function removeUnownedClusters() {
  const unowned = claimedClusters().filter(({ owner }) => owner !== 'alive');
  for (const { cluster } of unowned) await removeCluster(cluster);
  return unowned.length;
}

/** All of it: also what is left of a cluster after a crash. @param {Cluster} cluster */
export async function removeCluster(cluster) {
  await killDaemons(cluster);
  for (const place of mountsBelow(cluster.folder)) await execute(['umount', '--lazy', place]);
  for (let number = 1; number <= most_nodes; number++) await removeNamespace(nodeOf(cluster, number));
  await removeBridge(cluster);
  for (const folder of cgroupsOf(cluster)) removeCgroup(folder);
  const isOurs = (/** @type {string} */ text) => text.includes(`${cluster.folder}/`);
  removeEntries('/var/lib/cni/results', (path) => isOurs(readFileSync(path, 'utf8')));
  removeEntries('/var/log/containers', (path) => isOurs(readlinkSync(path)));
  rmSync(cluster.folder, { recursive: true, force: true });
  if (claimedClusters().length === 0) restoreKernelSettings();
}

/** @param {Cluster} cluster @param {{ programs: string, nodes: number, say: (doing: string) => void }} o */
async function bringUp(cluster, { programs, nodes, say }) {
  say('the control plane');
  await makeBridge(cluster);
  await makeAuthority(cluster);
  const pauseArchive = await writePauseImage(cluster, programs);
  await allOf([startRegistry(cluster), startControlPlane(cluster, programs)]);
  await startMetricsServer(cluster, programs);
  await keepParams(cluster, programs);
  const all = Array.from({ length: nodes }, (_, index) => nodeOf(cluster, index + 1));
  for (const [index, node] of all.entries()) await connectNode(cluster, node, all.slice(0, index));
  say('the nodes');
  await allOf(all.map((node) => startNode(cluster, node, { programs, pauseArchive })));
  const account = kubectl(cluster, programs, ['get', 'serviceaccount', 'default']);
  await executeUntilReady(account, { seconds: 30, explain: () => endOfLog(cluster, 'kube-controller-manager') });
  await awaitMetricsServer(cluster, programs);
}

/** Also when one fails, none goes on: what it would still start, nobody would remove. @param {Promise<void>[]} works */
async function allOf(works) {
  const failure = (await Promise.allSettled(works)).find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}

/** The deepest first. @param {string} folder */
function mountsBelow(folder) {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((place) => place.startsWith(`${folder}/`))
    .toReversed();
}

/** @param {string} folder */
function removeCgroup(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeCgroup(join(folder, entry.name));
  rmdirSync(folder);
}

/** @param {string} folder @param {(path: string) => boolean} isOurs */
function removeEntries(folder, isOurs) {
  if (!existsSync(folder)) return;
  const paths = readdirSync(folder).map((name) => join(folder, name));
  for (const path of paths) if (isOurs(path)) rmSync(path, { force: true });
}
