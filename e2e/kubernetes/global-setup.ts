import type { TestProject } from 'vitest/node';
import { removeCluster } from '../../setup/kubernetes/cluster.js';
import { ensureCluster } from '../../setup/kubernetes/ensure-cluster.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The number of the cluster that the files of this folder share. */
    kubernetes_cluster: number;
    kubernetes_nodes: number;
    /** The folder with kubectl. */
    kubernetes_programs: string;
  }
}

const nodes = 2;

/** One cluster for all files, because it takes seconds of both cores. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { cluster, programs } = await ensureCluster(nodes);
  project.provide('kubernetes_cluster', cluster.number);
  project.provide('kubernetes_nodes', nodes);
  project.provide('kubernetes_programs', programs);
  return async () => await removeCluster(cluster);
}
