// @ts-check
/**
 * `node setup/kubernetes/main.js up [--nodes 2]` brings a cluster of Kubernetes with a registry of images up on this machine and leaves it.
 * `node setup/kubernetes/main.js down` removes all such clusters, and what is left of those whose process has died.
 */
import { parseArgs } from 'node:util';
import { print, runScript, SetupProblem, step } from '../step.js';
import { certificateOf } from './certificates.js';
import { keepCluster } from './claim.js';
import { removeUnownedClusters } from './cluster.js';
import { most_nodes } from './layout.js';
import { ensureCluster } from './ensure-cluster.js';

await runScript(async () => {
  const [command] = process.argv.slice(2);
  if (command === 'up') await up();
  else if (command === 'down') await step('kubernetes', async () => `${await removeUnownedClusters()} removed`);
  else
    throw new SetupProblem({
      cause: `"${command ?? ''}" is neither up nor down`,
      fix: 'node setup/kubernetes/main.js up --nodes 2',
    });
});

async function up() {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { nodes: { type: 'string', default: '2' } } });
  const nodes = Number(values.nodes);
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > most_nodes)
    throw new SetupProblem({ cause: `${values.nodes} nodes are not possible`, fix: `Take 1 to ${most_nodes}.` });
  const { cluster } = await ensureCluster(nodes);
  keepCluster(cluster);
  print(`  export KUBECONFIG=${cluster.kubeconfig}`);
  print(`  registry ${cluster.registry}, its authority ${certificateOf(cluster, 'authority').certificate}`);
}
