import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, afterEach, expect, test } from 'vitest';
import { freePort } from '../testing/free-port.ts';
import { testConfig } from '../testing/config.ts';
import { removeLeftovers } from '../testing/engine-leftovers.ts';
import { openFirewall, type Firewall } from './firewall.ts';
import { listedNetwork, type ListedNetwork } from './listed-network.ts';
import { hasNetwork } from './networks.ts';
import { testInstallation } from './test-installation.ts';

const { engine, agents_subnet: subnet } = testInstallation(testConfig());
const firewall = openFirewall();
const opened: ListedNetwork[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  await removeLeftovers(engine);
});
afterAll(() => firewall.close());

async function listed(rules: Firewall, proxy_port: number): Promise<ListedNetwork> {
  const proxy = { checkAddresses: async () => await Promise.reject(new Error('unused')), gateway: undefined };
  const events = { onRefused: () => {}, onClosed: () => {} };
  const made = listedNetwork({
    engine,
    firewall: rules,
    subnet,
    gateway_port: 4490,
    proxy_port,
    proxy: { ...proxy, ...events },
  });
  opened.push(made);
  return await Promise.resolve(made);
}

test('no container starts on it while its rules cannot be set, or while another program has the port of its proxy', async () => {
  const port = await freePort();
  const broken = { ...firewall, restore: async () => await Promise.reject(new Error('iptables is not installed')) };
  await expect((await listed(broken, port)).open()).rejects.toMatchObject({
    code: 'egress_not_enforced',
    detail:
      'Other programs on this machine would be open to the agent: no firewall rules can be set: iptables is not installed',
  });
  const network = await (await listed(firewall, port)).open();
  // A second process of this installation leaves the port to the first.
  await (await listed(firewall, port)).open();
  const taken = await freePort();
  const stranger = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')).listen(
    taken,
    network.gateway,
  );
  await once(stranger, 'listening');
  await expect((await listed(firewall, taken)).open()).rejects.toMatchObject({
    code: 'engine_unavailable',
    hint: `Another program has port ${taken} on ${network.gateway}.`,
  });
  stranger.close();
}, 60_000);

test('it is made with its first agent, and opened again after a restart of the service', async () => {
  const [before, after] = [await listed(firewall, await freePort()), await listed(firewall, await freePort())];
  expect([await before.reopen(), await hasNetwork(engine, 'listed')]).toEqual([false, false]);
  const { id, internal } = await before.open();
  expect(internal).toBe(true);
  expect([await after.reopen(), (await after.open()).id]).toEqual([true, id]);
}, 60_000);
