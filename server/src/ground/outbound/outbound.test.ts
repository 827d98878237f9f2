// Real servers on this machine take the place of forbidden destinations; the test sets the addresses of names.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openOutbound, type Outbound } from './outbound.ts';

let inside: Server;
let port: number;
let asked = 0;
const open: Outbound[] = [];

beforeAll(async () => {
  inside = createServer((_, response) => {
    asked += 1;
    response.writeHead(302, { location: `http://127.0.0.1:${port}/elsewhere` }).end();
  }).listen(0, '127.0.0.1');
  await once(inside, 'listening');
  ({ port } = inside.address() as AddressInfo); // it listens on TCP
});
afterAll(async () => {
  await Promise.all(open.map(async (outbound) => await outbound.close()));
  inside.close();
});

/** Each name resolves to the next of these at every lookup. */
function outboundTo(names: Record<string, string[][]>, private_hosts: string[] = []): Outbound {
  const outbound = openOutbound({
    private_hosts,
    resolve: async (host) => {
      const answers = names[host] ?? [];
      const addresses = answers.length > 1 ? answers.shift() : answers[0];
      if (addresses === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  });
  open.push(outbound);
  return outbound;
}

const get = async (outbound: Outbound, url: string) =>
  await outbound.request(url, { method: 'GET', signal: AbortSignal.timeout(1000) });

test('a listed host is reached, and its redirect is a plain answer', async () => {
  for (const listed of ['127.0.0.1', `127.0.0.1:${port}`]) {
    const { statusCode, body } = await get(outboundTo({}, [listed]), `http://127.0.0.1:${port}/`);
    await body.dump();
    expect(statusCode).toBe(302);
  }
  expect(asked).toBe(2);
});

test('a listed port allows no other port', async () => {
  const outbound = outboundTo({}, [`127.0.0.1:${port + 1}`]);
  await expect(get(outbound, `http://127.0.0.1:${port}/`)).rejects.toThrow('private network');
});

test.each([['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['10.0.0.1'], ['169.254.169.254'], ['8.8.8.8', '127.0.0.1']])(
  'a name with the address %j is refused before anything is sent',
  async (...addresses) => {
    const before = asked;
    const outbound = outboundTo({ 'hook.example.com': [addresses] });
    await expect(outbound.check(`http://hook.example.com:${port}/`)).rejects.toThrow('private network');
    await expect(get(outbound, `http://hook.example.com:${port}/`)).rejects.toThrow('private network');
    expect(asked).toBe(before);
  },
);

test('a name that turns private after the check is refused at the connection', async () => {
  const before = asked;
  const outbound = outboundTo({ 'rebind.example.com': [['8.8.8.8'], ['127.0.0.1']] });
  await outbound.check(`http://rebind.example.com:${port}/`);
  await expect(get(outbound, `http://rebind.example.com:${port}/`)).rejects.toThrow('private network');
  expect(asked).toBe(before);
});

test('the connection goes to the checked address: the name is resolved once', async () => {
  // Public first, then always this machine: a second lookup would arrive here.
  const answers = [['192.52.193.77'], ['127.0.0.1']];
  const outbound = outboundTo({ 'once.example.com': answers });
  const before = asked;
  await expect(get(outbound, `http://once.example.com:${port}/`)).rejects.toThrow();
  expect([asked, answers.length]).toEqual([before, 1]);
});

test('an unresolvable name is not refused in advance, and reaches nothing', async () => {
  const outbound = outboundTo({});
  expect((await outbound.check('https://later.example.com/')).hostname).toBe('later.example.com');
  await expect(get(outbound, 'https://later.example.com/')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test.each(['localhost', 'localhost.', 'LOCALHOST'])('%s is this machine', async (host) => {
  const outbound = openOutbound({ private_hosts: [] });
  open.push(outbound);
  await expect(get(outbound, `http://${host}:${port}/`)).rejects.toThrow('private network');
});

test.each(['ftp://example.com/', 'file:///etc/passwd', 'unix:/run/x.sock', 'http://u:p@example.com/', 'nothing'])(
  '%s is not a valid destination',
  async (url) => {
    await expect(get(outboundTo({ 'example.com': [['8.8.8.8']] }), url)).rejects.toThrow(/must/);
  },
);

test('a silent server is left at the time limit', async () => {
  const silent = createTcpServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  await expect(get(outboundTo({}, [address]), `http://${address}/`)).rejects.toMatchObject({ name: 'TimeoutError' });
  silent.close();
});
