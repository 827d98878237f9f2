// @ts-check
/** Who has which cluster. A folder is a claim: only one process can make it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem } from '../step.js';
import { clusterOf, foldersOfClusters, most_clusters } from './layout.js';
import { isRangeFree } from './network.js';

/** @import { Cluster } from './layout.js' */

/** The first number whose addresses are free on this machine. @returns {Promise<Cluster>} */
export async function claimCluster() {
  mkdirSync(foldersOfClusters(), { recursive: true, mode: 0o700 });
  for (let number = 0; number < most_clusters; number++) {
    const cluster = clusterOf(number);
    if (existsSync(cluster.folder) || !(await isRangeFree(cluster)) || !makeFolder(cluster.folder)) continue;
    writeFileSync(ownerFile(cluster), identityOf(process.pid) ?? '');
    return cluster;
  }
  throw new SetupProblem({
    cause: `all ${most_clusters} ranges of addresses for clusters are in use on this machine`,
    fix: 'node setup/kubernetes/main.js down removes the clusters that nobody uses.',
  });
}

/** From now on the cluster stays after its process. @param {Cluster} cluster */
export function keepCluster(cluster) {
  rmSync(ownerFile(cluster));
}

/** @returns {{ cluster: Cluster, owner: 'alive' | 'dead' | 'none' }[]} */
export function claimedClusters() {
  if (!existsSync(foldersOfClusters())) return [];
  return readdirSync(foldersOfClusters())
    .filter((name) => /^\d+$/.test(name))
    .map((name) => clusterOf(Number(name)))
    .map((cluster) => ({ cluster, owner: stateOfOwner(cluster) }));
}

/** @param {Cluster} cluster */
function stateOfOwner(cluster) {
  if (!existsSync(ownerFile(cluster))) return 'none';
  const identity = readFileSync(ownerFile(cluster), 'utf8');
  return identityOf(Number.parseInt(identity, 10)) === identity ? 'alive' : 'dead';
}

/** The number of a process and when it started: numbers are used again. @param {number} pid */
function identityOf(pid) {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return undefined;
  // The name of the program, in brackets, may have spaces.
  const afterName = readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return `${pid} ${afterName[19]}`;
}

/** @param {Cluster} cluster */
function ownerFile(cluster) {
  return join(cluster.folder, 'owner');
}

/** @param {string} folder */
function makeFolder(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false; // mkdir throws nothing else
    throw error;
  }
}
