// The proxy without containers: the test is the container, and the engine's list names its address. e2e/egress.test.ts has real ones.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openAddressCheck } from '../../../../ground/outbound/outbound.ts';
import { testConfig } from '../../../../testing/config.ts';
import type { RefusedEgress, UsedEgress } from '../open-destination.ts';
import { startEgressProxy } from './egress-proxy.ts';
import type { ForwardProxy } from '../../../../assets/docker/forward-proxy.ts';
import { testInstallation } from '../../../../assets/workshop/test-installation.ts';

const { engine } = testInstallation(testConfig());
const network = { name: 'svc-listed-test', gateway: '127.0.0.1' };
let port = 0;
let arrived = 0;
const inside = createServer((_, response) => {
  arrived += 1;
  response.end('inside');
});
let proxy: ForwardProxy;
const refused: RefusedEgress[] = [];
const used: UsedEgress[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  inside.listen(0, '127.0.0.1');
  await once(inside, 'listening');
  ({ port } = inside.address() as AddressInfo); // it listens on a port
});
afterAll(() => void inside.close());
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await proxy.close();
  refused.length = 0;
  used.length = 0;
  arrived = 0;
});

interface Setting {
  containers?: object[];
  names?: Record<string, string[]>;
  private_hosts?: string[];
}

const container = (egress: string | undefined) => ({
  Labels: {
    'gantry.agent': 'greeter',
    'gantry.revision': 'r1',
    ...(egress === undefined ? {} : { 'gantry.egress': egress }),
  },
  NetworkSettings: { Networks: { [network.name]: { IPAddress: '127.0.0.1' } } },
});

/** Each name resolves to its next address at every lookup. */
async function start({ containers = [], names = {}, private_hosts = [] }: Setting): Promise<void> {
  const docker = Object.create(engine.docker, {
    listContainers: { value: async () => await Promise.resolve(containers) },
  }) as typeof engine.docker; // the same client, with a list of this test
  const resolve = async (host: string) => {
    const left = names[host] ?? [];
    const address = left.length > 1 ? left.shift() : left[0];
    return await Promise.resolve(address === undefined ? [] : [{ address, family: 4 }]);
  };
  proxy = await startEgressProxy({
    engine: { ...engine, docker },
    network,
    port: 0,
    checkAddresses: openAddressCheck({ private_hosts, resolve }),
    onRefused: (one) => refused.push(one),
    onClosed: (one) => used.push(one),
  });
}

async function open(): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: proxy.port });
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** The status line of the answer to CONNECT, and the rest of what arrives. */
async function tunnel(target: string): Promise<string[]> {
  const socket = await open();
  // In one piece: a client need not wait for the answer.
  socket.write(
    `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text.split('\r\n');
}

test('a container without a list, and a sender that is no container, reach nothing', async () => {
  for (const containers of [[], [container(undefined)]]) {
    await start({ containers, private_hosts: ['localhost'], names: { localhost: ['127.0.0.1'] } });
    const [status] = await tunnel(`localhost:${port}`);
    expect(status).toBe('HTTP/1.1 403 This container is unknown to the service');
    await proxy.close();
  }
  expect([arrived, refused]).toEqual([0, []]);
});

test('a listed private address needs an operator who lists it too, and its bytes are counted', async () => {
  const containers = [container(`a.test:${port} b.test:${port}`)];
  const names = { 'a.test': ['127.0.0.1'], 'b.test': ['127.0.0.1'] };
  await start({ containers, names, private_hosts: [`b.test:${port}`] });
  expect((await tunnel(`a.test:${port}`))[0]).toMatch(
    /^HTTP\/1\.1 403 a\.test:\d+ has no address outside this machine/,
  );
  expect((await tunnel(`b.test:${port}`)).at(-1)).toBe('inside');
  expect(refused).toMatchObject([{ agent: 'greeter', revision_id: 'r1', destination: `a.test:${port}` }]);
  await expect.poll(() => used).toMatchObject([{ destination: `b.test:${port}`, sent_bytes: 46 }]);
  expect(used[0]?.received_bytes).toBeGreaterThan(50);
});

test('the connection goes to the checked address: a name that changes after the check reaches nothing inside', async () => {
  // Public first, then always this machine: a second lookup would arrive here.
  const names = { 'rebind.test': ['192.52.193.77', '127.0.0.1'] };
  await start({ containers: [container(`rebind.test:${port}`)], names });
  const [status] = await Promise.race([
    tunnel(`rebind.test:${port}`),
    new Promise<string[]>((done) => setTimeout(() => done(['no connection']), 1000)),
  ]);
  expect(status).not.toContain(' 200 ');
  expect([arrived, names['rebind.test'].length]).toEqual([0, 1]);
});

test.each(['x'.repeat(300), 'a\u0001b', 'ä.test', ''])(
  'the reason never carries what the client wrote: %j',
  async (host) => {
    await start({ containers: [container('a.test:1')] });
    const socket = await open();
    socket.write(Buffer.from(`CONNECT ${host}:1 HTTP/1.1\r\nHost: x\r\n\r\n`, 'utf8'));
    let text = '';
    for await (const chunk of socket) text += (chunk as Buffer).toString('latin1');
    expect(text).toMatch(/^HTTP\/1\.1 40[03] [\x20-\x7e]*\r\n/);
  },
);

test('one container has at most 256 connections to the proxy, and a closed one makes room', async () => {
  await start({ containers: [] });
  for (let n = 0; n < 256; n++) await open();
  const over = await open();
  await once(over, 'close');
  sockets[0]?.destroy();
  await expect
    .poll(async () => {
      const socket = await open();
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      return await Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
    })
    .toBe(true);
});
