// @ts-check
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from './execute.js';

/** @import { Cluster } from './layout.js' */

/**
 * A command line of kubectl, with all rights.
 *
 * @param {Cluster} cluster
 * @param {string} programs
 * @param {string[]} args
 */
export function kubectl(cluster, programs, args) {
  return [join(programs, 'kubectl'), `--kubeconfig=${cluster.kubeconfig}`, ...args];
}

/** @param {Cluster} cluster @param {string} programs @param {object[]} objects */
export async function apply(cluster, programs, objects) {
  const path = join(cluster.folder, 'objects.json');
  writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  await execute(kubectl(cluster, programs, ['apply', '--server-side', '-f', path]));
}
