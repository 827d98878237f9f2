// @ts-check
import { step } from '../step.js';
import { ensureBinaries } from './binaries.js';
import { openCluster } from './cluster.js';
import { ensureClusterPrograms } from './programs.js';

/** @import { Cluster } from './layout.js' */

/**
 * A cluster, and before it all that one needs.
 *
 * @param {number} nodes
 * @returns {Promise<{ cluster: Cluster, programs: string }>} `programs` is a folder; kubectl is one of them
 */
export async function ensureCluster(nodes) {
  let programs = '';
  /** @type {Cluster | undefined} */
  let cluster;
  await step('kubernetes', async (say) => {
    await ensureClusterPrograms(say);
    const { folder, isNew } = await ensureBinaries(say);
    programs = folder;
    return isNew ? 'built' : 'was built before';
  });
  await step('cluster', async (say) => {
    cluster = await openCluster({ programs, nodes, say });
    return `${nodes} nodes in ${cluster.range}`;
  });
  if (cluster === undefined) throw new Error('a step that succeeded has no cluster'); // the types do not know that step runs its work
  return { cluster, programs };
}
