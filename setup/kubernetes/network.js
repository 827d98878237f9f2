// @ts-check
/**
 * The network of a cluster: a bridge on this machine, and a network namespace with a cable to it for each node. No node has a default
 * route, so a pod reaches this machine and other pods, and nothing beyond.
 */
import { execute } from './execute.js';
import { runCommand } from '../command.js';
import { existsSync } from 'node:fs';

/** @import { Cluster, Node } from './layout.js' */

/** @param {Cluster} cluster */
export async function makeBridge(cluster) {
  await execute(['ip', 'link', 'add', cluster.name, 'type', 'bridge']);
  await execute(['ip', 'address', 'add', `${cluster.host}/24`, 'dev', cluster.name]);
  await execute(['ip', 'link', 'set', cluster.name, 'up']);
  await execute(['iptables', '--wait', '--insert', ...forwarded(cluster)]);
}

/** @param {Cluster} cluster */
export async function removeBridge(cluster) {
  if (
    (await runCommand(['iptables', '--wait', '--check', ...forwarded(cluster)], { timeout_seconds: 10 })).exit_code ===
    0
  )
    await execute(['iptables', '--wait', '--delete', ...forwarded(cluster)]);
  if (existsSync(`/sys/class/net/${cluster.name}`)) await execute(['ip', 'link', 'delete', cluster.name]);
}

/** @param {Cluster} cluster @param {Node} node @param {Node[]} others */
export async function connectNode(cluster, node, others) {
  const inside = ['ip', '-netns', node.namespace];
  await execute(['ip', 'netns', 'add', node.namespace]);
  await execute(['ip', 'link', 'add', node.link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', node.namespace]);
  await execute(['ip', 'link', 'set', node.link, 'master', cluster.name, 'up']);
  await execute([...inside, 'address', 'add', `${node.address}/24`, 'dev', 'eth0']);
  await execute([...inside, 'link', 'set', 'lo', 'up']);
  await execute([...inside, 'link', 'set', 'eth0', 'up']);
  // The look-up of a route comes before kube-proxy replaces a Service's address.
  await execute([...inside, 'route', 'add', cluster.services, 'dev', 'eth0']);
  await execute(['nsenter', `--net=/run/netns/${node.namespace}`, 'sysctl', '-qw', 'net.ipv4.ip_forward=1']);
  await execute(['ip', 'route', 'add', node.pods, 'via', node.address]);
  for (const other of others) {
    await execute([...inside, 'route', 'add', other.pods, 'via', other.address]);
    await execute(['ip', '-netns', other.namespace, 'route', 'add', node.pods, 'via', node.address]);
  }
}

/** The processes in it end first. @param {Node} node */
export async function removeNamespace(node) {
  if (existsSync(`/run/netns/${node.namespace}`)) await execute(['ip', 'netns', 'delete', node.namespace]);
  // Without it, the cable would stay until the kernel has cleared the namespace.
  if (existsSync(`/sys/class/net/${node.link}`))
    await runCommand(['ip', 'link', 'delete', node.link], { timeout_seconds: 10 });
}

/** Pulls the cable of a node, or plugs it in. @param {Node} node @param {'up' | 'down'} state */
export async function setCable(node, state) {
  await execute(['ip', 'link', 'set', node.link, state]);
}

/** True if nothing on this machine uses an address of the range. @param {Cluster} cluster */
export async function isRangeFree(cluster) {
  if (existsSync(`/sys/class/net/${cluster.name}`)) return false;
  const within = await execute(['ip', 'route', 'show', 'root', cluster.range]);
  const around = await execute(['ip', 'route', 'show', 'match', cluster.range]);
  return [within, around].every((routes) =>
    routes.split('\n').every((route) => route.trim() === '' || route.startsWith('default')),
  );
}

/** Docker lets no frame pass between two ports of a bridge that is not its own. @param {Cluster} cluster */
function forwarded(cluster) {
  return ['FORWARD', '--in-interface', cluster.name, '--out-interface', cluster.name, '--jump', 'ACCEPT'];
}
