// @ts-check
/**
 * Names, addresses and folders of a cluster. All follow from its number, so that several clusters have room on a machine.
 */
import { join } from 'node:path';
import { readConfig } from '../config.js';

/** @typedef {ReturnType<typeof clusterOf>} Cluster */
/** @typedef {ReturnType<typeof nodeOf>} Node */

/** Below 10.196, and above what container engines choose first. */
const first_range = 180;

export const most_clusters = 16;
export const most_nodes = 9;

export function foldersOfClusters() {
  return join(readConfig().stateFolder, 'kubernetes');
}

/** @param {number} number */
export function clusterOf(number) {
  const folder = join(foldersOfClusters(), String(number));
  const range = `10.${first_range + number}`;
  const host = `${range}.0.1`;
  return {
    number,
    /** Of the bridge, the cgroup, and the start of the network namespaces' names. */
    name: `gantry-k${number}`,
    folder,
    /** Node 1 and so on are in it, and nothing outside this machine. */
    range: `${range}.0.0/16`,
    /** This machine, as the nodes and pods see it. */
    host,
    /** For what only this machine may reach. */
    loopback: `127.${first_range + number}.0.1`,
    services: `${range}.1.0/24`,
    firstService: `${range}.1.1`,
    pods: `${range}.16.0/20`,
    api: `${host}:6443`,
    registry: `${host}:5000`,
    certificates: join(folder, 'certificates'),
    logs: join(folder, 'logs'),
    kubeconfig: join(folder, 'kubeconfig'),
    registries: join(folder, 'registries'),
  };
}

/** @param {Cluster} cluster @param {number} number from 1 */
export function nodeOf(cluster, number) {
  const [first, second] = cluster.range.split('.');
  const name = `node-${number}`;
  const folder = join(cluster.folder, name);
  return {
    name,
    folder,
    namespace: `${cluster.name}-${number}`,
    /** The end of its cable on this machine. */
    link: `${cluster.name}-${number}`,
    address: `${first}.${second}.0.${10 + number}`,
    pods: `${first}.${second}.${16 + number}.0/24`,
    cgroup: `${cluster.name}/${name}`,
    socket: join(folder, 'containerd.sock'),
  };
}
