import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, afterEach, expect, test } from 'vitest';
import { freePort } from '../../../../testing/servers/free-port.ts';
import { testConfig } from '../../../../testing/config.ts';
import { removeLeftovers } from '../../../../testing/engine-leftovers.ts';
import { openFirewall, type Firewall } from '../../../../assets/docker/firewall.ts';
import { listedNetwork, type ListedNetwork } from './listed-network.ts';
import { hasNetwork } from '../../../../assets/docker/networks.ts';
import { testInstallation } from '../../../../assets/workshop/test-installation.ts';

const { engine, agents_subnet: subnet } = testInstallation(testConfig());
const firewall = openFirewall();
const opened: ListedNetwork[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  await removeLeftovers(engine);
});
afterAll(() => firewall.close());

async function listed(rules: Firewall, proxy_port: number): Promise<ListedNetwork> {
  const proxy = { checkAddresses: async () => await Promise.reject(new Error('unused')), service: [] };
  const events = { onRefused: () => {}, onClosed: () => {} };
  const made = listedNetwork({
    engine,
    firewall: rules,
    subnet,
    service_ports: [4490],
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
      'Other programs on this machine would be open to its container: no firewall rules can be set: iptables is not installed',
  });
  const network = await (await listed(firewall, port)).open();
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

test('two workers share the port of the proxy, and when one ends the other serves each connection', async () => {
  const port = await freePort();
  const [first, second] = [await listed(firewall, port), await listed(firewall, port)];
  const { gateway } = await first.open();
  await second.open();
  // No container, and so refused by a proxy that listens.
  const ask = async () => (await fetch(`http://${gateway}:${port}/`, { headers: { connection: 'close' } })).status;
  const asked = async () => await Promise.all(Array.from({ length: 20 }, ask));
  const refused = Array.from({ length: 20 }, () => 403);
  expect(await asked()).toEqual(refused);
  await first.close();
  expect(await asked()).toEqual(refused);
  const third = await listed(firewall, port);
  await third.open();
  await second.close();
  expect(await asked()).toEqual(refused);
  await third.close();
  await expect(ask()).rejects.toThrow('fetch failed');
}, 60_000);

test('a program of another user cannot listen at the port of the proxy', async () => {
  const port = await freePort();
  const { gateway } = await (await listed(firewall, port)).open();
  const script = `require('node:net').createServer().listen({ host: '${gateway}', port: ${port}, reusePort: true }, () => process.exit(0)).on('error', ({ code }) => { console.log(code); process.exit(1); })`;
  const run = async (uid: number) =>
    await promisify(execFile)(process.execPath, ['-e', script], { uid, cwd: '/' }).then(
      () => 'listens',
      ({ stdout }: { stdout: string }) => stdout.trim(),
    );
  expect(await run(process.getuid?.() ?? 0)).toBe('listens');
  expect(await run(65_534)).toBe('EADDRINUSE');
}, 60_000);

test('it is made with its first agent, and opened again after a restart of the service', async () => {
  const [before, after] = [await listed(firewall, await freePort()), await listed(firewall, await freePort())];
  expect([await before.reopen(), await hasNetwork(engine, 'listed')]).toEqual([false, false]);
  const { id, internal } = await before.open();
  expect(internal).toBe(true);
  expect([await after.reopen(), (await after.open()).id]).toEqual([true, id]);
}, 60_000);
