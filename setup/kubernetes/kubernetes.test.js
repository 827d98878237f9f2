// @ts-check
import { expect, test } from 'vitest';
import { isGoNewEnough } from './go.js';
import { clusterOf, most_clusters, most_nodes, nodeOf } from './layout.js';

test('the versions of Go are compared as numbers', () => {
  const said = (/** @type {string} */ version) => `go version go${version} linux/amd64`;
  expect(['1.26.4', '1.26.10', '1.30.0', '1.27', '2.0'].map((version) => isGoNewEnough(said(version)))).toEqual(
    Array(5).fill(true),
  );
  expect(['1.26.3', '1.26', '1.9.9', '1.19.8'].map((version) => isGoNewEnough(said(version)))).toEqual(
    Array(4).fill(false),
  );
  expect(isGoNewEnough('go: not found')).toBe(false);
});

test('no two clusters and no two nodes share an address, a name or a folder', () => {
  const clusters = Array.from({ length: most_clusters }, (_, number) => clusterOf(number));
  const nodes = clusters.flatMap((cluster) =>
    Array.from({ length: most_nodes }, (_, index) => nodeOf(cluster, index + 1)),
  );
  const all = [
    ...clusters.flatMap(({ host, loopback, services, folder, name }) => [host, loopback, services, folder, name]),
    ...nodes.flatMap(({ address, pods, folder, link }) => [address, pods, folder, link]),
  ];
  expect(new Set(all).size).toBe(all.length);
});

test('the kernel has room for the name of a network interface', () => {
  expect(nodeOf(clusterOf(most_clusters - 1), most_nodes).link.length).toBeLessThan(16);
});
