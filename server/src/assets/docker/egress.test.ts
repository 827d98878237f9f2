// Real containers on real networks. The report must match the reach of a container.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { testConfig } from '../../testing/config.ts';
import { removeLeftovers } from '../../testing/engine-leftovers.ts';
import { findBaseImage } from './base-image.ts';
import { guardEgress } from './egress.ts';
import { openFirewall, type Firewall } from './firewall.ts';
import { agentGateways } from '../../agents/deploy/targets/docker/host-networks.ts';
import { labelsFor, mark } from './labels.ts';
import { ensureNetwork, removeNetwork, type Network } from './networks.ts';
import { runInSandbox } from '../workshop/sandbox.ts';
import { engineMark, gatewayOf, subnetFor } from './subnets.ts';
import { testInstallation } from '../workshop/test-installation.ts';

const { engine, settings, agents_subnet } = testInstallation(testConfig());
const firewall = openFirewall();
const limits = { memory_bytes: 256e6, cpus: 1, pids: 64, disk_bytes: 50e6, deadline_seconds: 60 };
let image = '';
const servers: Server[] = [];

beforeAll(async () => {
  image = (await findBaseImage(engine, settings.base_image)).id;
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await removeLeftovers(engine);
});
afterAll(async () => {
  await removeLeftovers(engine);
  firewall.close();
});

async function listen(address: string): Promise<number> {
  const server = createServer((socket) => socket.end()).listen(0, address);
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // it listens on a port
}

/** The addresses that a container on the network can reach. */
async function reachable(network: Network, places: string[]): Promise<string[]> {
  const script = `
import socket, sys
for place in sys.argv[1:]:
    host, port = place.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), 2).close()
        print(place)
    except OSError:
        pass
`;
  const command = ['python3', '-c', script, ...places];
  const { stdout } = await runInSandbox(engine, {
    image,
    network: network.name,
    command,
    limits,
    signal: AbortSignal.timeout(60_000),
  });
  return stdout.split('\n').filter((line) => line !== '');
}

/** Starts a listening container and returns its address. */
async function sibling(network: Network): Promise<string> {
  const container = await engine.docker.createContainer({
    Image: image,
    Cmd: ['python3', '-m', 'http.server', '9000'],
    Labels: { 'gantry.installation': engine.installation_id },
    HostConfig: { NetworkMode: network.name },
  });
  await container.start();
  const { NetworkSettings } = await container.inspect();
  return `${NetworkSettings.Networks[network.name]?.IPAddress}:9000`;
}

test.each([{ internal: true }, { internal: false }])(
  'with internal: $internal a container reaches the intended ports, but no sibling and no other port of this machine',
  async ({ internal }) => {
    const network = await ensureNetwork(engine, { purpose: 'agents', subnet: agents_subnet, internal });
    const meant = `${network.gateway}:${await listen(network.gateway)}`;
    const api = `${network.gateway}:${await listen('0.0.0.0')}`;
    const neighbour = await sibling(network);
    // Without rules the API is reachable. So the rules cause the refusal below.
    expect(await reachable(network, [meant, api])).toEqual([meant, api]);

    const report = await guardEgress(firewall, { network, host_ports: [Number(meant.split(':')[1])] });
    expect(await reachable(network, [meant, api, neighbour, '169.254.169.254:80', '10.255.255.1:80'])).toEqual([meant]);
    expect(report).toMatchObject({
      siblings: { closed: true },
      host: { closed: true },
      metadata: { closed: true },
      private_ranges: { closed: true },
    });
    expect(report.outside.closed).toBe(internal);

    // The host itself still reaches the sibling: calls and probes come from there.
    expect((await fetch(`http://${neighbour}/`, { signal: AbortSignal.timeout(5000) })).status).toBe(200);
  },
  60_000,
);

test('setting the rules again replaces them', async () => {
  const network = await ensureNetwork(engine, { purpose: 'agents', subnet: agents_subnet, internal: true });
  const [before, after] = [await listen(network.gateway), await listen(network.gateway)];
  await guardEgress(firewall, { network, host_ports: [before] });
  await guardEgress(firewall, { network, host_ports: [after] });
  const places = [before, after].map((port) => `${network.gateway}:${port}`);
  expect(await reachable(network, places)).toEqual([places[1]]);
}, 60_000);

test('removed rules are set again, and a round without a change runs one program', async () => {
  const network = await ensureNetwork(engine, { purpose: 'agents', subnet: agents_subnet, internal: false });
  const port = await listen('0.0.0.0');
  let programs = 0;
  const counting: Firewall = {
    ...firewall,
    restore: async (...lines) => {
      programs += 1;
      return await firewall.restore(...lines);
    },
  };
  const guard = async () => await guardEgress(counting, { network, host_ports: [] });
  const jumps = async () =>
    (await promisify(execFile)('iptables', ['-w', '5', '-S'])).stdout
      .split('\n')
      .filter((rule) => rule.includes(` -i ${network.bridge} -j SVC-`))
      .toSorted();
  await guard();
  const set = await jumps();
  expect(set.map((rule) => rule.split(' ')[1])).toEqual(['DOCKER-USER', 'INPUT']);
  for (const [at, rule] of set.entries()) {
    await promisify(execFile)('iptables', ['-w', '5', ...rule.replace(/^-A/, '-D').split(' ')]);
    expect(await jumps()).toEqual(set.toSpliced(at, 1));
    expect((await guard()).host.closed).toBe(true);
    expect(await jumps()).toEqual(set);
  }
  expect(await reachable(network, [`${network.gateway}:${port}`])).toEqual([]);
  programs = 0;
  await guard();
  expect(programs).toBe(1);
}, 60_000);

test('a network is made once, and replaced after a change of its settings unless it is in use', async () => {
  const plan = { purpose: 'agents', subnet: agents_subnet, internal: true } as const;
  const first = await ensureNetwork(engine, plan);
  expect((await ensureNetwork(engine, plan)).id).toBe(first.id);
  const opened = await ensureNetwork(engine, { ...plan, internal: false });
  expect(opened.id).not.toBe(first.id);

  await sibling(opened);
  await expect(ensureNetwork(engine, plan)).rejects.toMatchObject({
    code: 'engine_unavailable',
    detail: 'The agents network is in use with other settings',
  });
  await expect(ensureNetwork(engine, { ...plan, purpose: 'sandbox' })).rejects.toMatchObject({
    code: 'engine_unavailable',
    hint: 'Set SANDBOX_SUBNET to an unused range.',
  });
  for (const { Id } of await engine.docker.listContainers({
    filters: { label: [`gantry.installation=${engine.installation_id}`] },
  })) {
    await engine.docker.getContainer(Id).remove({ force: true });
  }
  await removeNetwork(engine, opened);
  await removeNetwork(engine, opened);
}, 60_000);

test('a network from before engines had marks keeps its name, its subnet and its rules', async () => {
  const plan = { purpose: 'agents', subnet: undefined, internal: true } as const;
  const former = `svc-agents-${mark(engine)}`;
  await engine.docker.createNetwork({
    Name: former,
    Internal: true,
    Labels: labelsFor(engine, 'agents'),
    IPAM: { Driver: 'default', Config: [{ Subnet: agents_subnet, Gateway: gatewayOf(agents_subnet) }] },
    Options: { 'com.docker.network.bridge.name': `svc${mark(engine)}a` },
  });
  const network = await ensureNetwork(engine, plan);
  expect(network).toMatchObject({ name: former, subnet: agents_subnet, bridge: `svc${mark(engine)}a` });
  expect(await agentGateways(engine.installation_id)).toEqual([network.gateway]);
  const meant = `${network.gateway}:${await listen(network.gateway)}`;
  const api = `${network.gateway}:${await listen('0.0.0.0')}`;
  await guardEgress(firewall, { network, host_ports: [Number(meant.split(':')[1])] });
  const { stdout } = await promisify(execFile)('iptables', ['-w', '5', '-S', 'INPUT']);
  expect(stdout).toContain(`-i ${network.bridge} -j SVC-${mark(engine)}-A-HOST`);
  expect(await reachable(network, [meant, api])).toEqual([meant]);
  await removeLeftovers(engine);

  // The next one is of this engine.
  const made = await ensureNetwork(engine, plan);
  expect(made.name).toMatch(new RegExp(`^${former}[0-9a-z]{3}$`));
  expect(await ensureNetwork(engine, plan)).toEqual(made);
  expect(await agentGateways(engine.installation_id)).toEqual([made.gateway]);
}, 60_000);

test('a range that another network has is left to it, and the next one is taken', async () => {
  const plan = { purpose: 'agents', subnet: undefined, internal: true } as const;
  const first = await ensureNetwork(engine, plan);
  await removeNetwork(engine, first);
  const { id } = await engine.docker.createNetwork({
    Name: `${first.name}-of-another`,
    Internal: true,
    IPAM: { Driver: 'default', Config: [{ Subnet: first.subnet }] },
  });
  try {
    const second = await ensureNetwork(engine, plan);
    expect(second.subnet).not.toBe(first.subnet);
    expect(await ensureNetwork(engine, plan)).toEqual(second);
    await removeNetwork(engine, second);
  } finally {
    await engine.docker.getNetwork(id).remove();
  }
}, 60_000);

test('two engines of an installation have different networks on their machine', () => {
  const installation_id = '65e1eed0-6c1e-4a52-9f0e-2b7a1c9d4e10';
  const [one, other] = ['LEHN:ORXO', 'GWFO:WERI'].map((engine_id) => ({ installation_id, engine_id }));
  if (one === undefined || other === undefined) throw new Error('two engines');
  for (const purpose of ['agents', 'listed', 'sandbox'] as const)
    expect(subnetFor(purpose, one)).not.toBe(subnetFor(purpose, other));
  expect(engineMark(one)).not.toBe(engineMark(other));
  expect(engineMark(one)).toMatch(/^[0-9a-z]{3}$/);
});

test('a network has no IPv6, which has no rules, and a network with IPv6 is replaced', async () => {
  const plan = { purpose: 'agents', subnet: agents_subnet, internal: false } as const;
  const made = await ensureNetwork(engine, plan);
  await removeNetwork(engine, made);
  const IPv6 = { Subnet: `fd00:${agents_subnet.split('.')[2]}::/64` };
  await engine.docker.createNetwork({
    Name: made.name,
    EnableIPv6: true,
    Labels: labelsFor(engine, 'agents'),
    IPAM: { Driver: 'default', Config: [{ Subnet: made.subnet, Gateway: made.gateway }, IPv6] },
  });
  const addresses = async () => {
    const command = ['/bin/sh', '-c', 'grep -v " lo$" /proc/net/if_inet6 || true'];
    const signal = AbortSignal.timeout(60_000);
    return (await runInSandbox(engine, { image, network: made.name, command, limits, signal })).stdout;
  };
  expect(await addresses()).toMatch(/^fd00/m);

  const network = await ensureNetwork(engine, plan);
  expect(await engine.docker.getNetwork(network.id).inspect()).toMatchObject({ EnableIPv6: false });
  expect(await addresses()).toBe('');
}, 60_000);
