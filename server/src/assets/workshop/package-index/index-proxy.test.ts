import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startIndexProxy, type IndexProxy } from './index-proxy.ts';

let proxy: IndexProxy;
let port = 0;
const refused: string[] = [];
// An index on a port of this machine.
const index = createServer((incoming, response) =>
  response.end(`index ${incoming.url} ${incoming.headers['proxy-authorization'] ?? 'no credentials'}`),
);

beforeAll(async () => {
  index.listen(0, '127.0.0.1');
  await once(index, 'listening');
  port = (index.address() as AddressInfo).port; // it listens on a port
});
afterAll(() => void index.close());
beforeEach(async () => {
  refused.length = 0;
  proxy = await startIndexProxy({ address: '127.0.0.1', onRefusedHost: (host) => refused.push(host) });
});
afterEach(() => proxy.close());

/** Returns the proxy's answer to CONNECT, and the answer through the tunnel. */
async function tunnel(target: string, through = proxy.port): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: through });
  socket.setTimeout(5000, () => socket.destroy(new Error('no answer')));
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  let text = '';
  let asked = false;
  for await (const chunk of socket) {
    text += String(chunk);
    if (!asked && text.includes('200 Connection established'))
      socket.write('GET /simple HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    asked = true;
  }
  return text;
}

async function plain(url: string, method = 'GET'): Promise<{ status: number | undefined; text: string }> {
  const headers = { host: 'ignored', 'proxy-authorization': 'Basic c2VjcmV0' };
  const outgoing = request({ host: '127.0.0.1', port: proxy.port, method, path: url, headers, timeout: 5000 }).end();
  const [response] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, text };
}

test('a tunnel reaches the index, but no other port of its host', async () => {
  proxy.allow({ host: '127.0.0.1', port, configured: true });
  expect(await tunnel(`127.0.0.1:${port}`)).toContain('index /simple');
  expect(await tunnel('127.0.0.1:22')).toMatch(/^HTTP\/1.1 403/);
  expect(refused).toEqual(['127.0.0.1:22']);
});

test('an index without TLS is reachable, only with reading methods', async () => {
  proxy.allow({ host: '127.0.0.1', port, configured: true });
  expect(await plain(`http://127.0.0.1:${port}/simple?a=b`)).toEqual({
    status: 200,
    text: 'index /simple?a=b no credentials',
  });
  expect(await plain(`http://127.0.0.1:${port}/simple`, 'POST')).toMatchObject({ status: 403 });
  expect(await plain('http://127.0.0.2/simple')).toMatchObject({ status: 403 });
});

test.each([
  '169.254.169.254:80',
  'metadata.internal:80',
  'localhost:5432',
  '[::1]:80',
  '2130706433:80',
  'no-port',
  `localhost.:80`,
  '/',
])('CONNECT %s is refused', async (target) => {
  proxy.allow({ host: '127.0.0.1', port, configured: true });
  expect(await tunnel(target)).toMatch(/^HTTP\/1.1 403/);
});

test('a name with a private address is refused unless an administrator configured it', async () => {
  proxy.allow({ host: 'localhost', port, configured: false });
  expect(await tunnel(`localhost:${port}`)).toMatch(/^HTTP\/1.1 502/);
  proxy.allow({ host: 'localhost', port, configured: true });
  expect(await tunnel(`LOCALHOST:${port}`)).toContain('index /simple');
});

test('a configured company proxy is used', async () => {
  const seen: string[] = [];
  const company = createTcpServer((socket) => {
    socket.once('data', (head) => {
      seen.push(head.toString());
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const upstream = connect({ host: '127.0.0.1', port });
      socket.pipe(upstream).pipe(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(company, 'listening');
  const { port: companyPort } = company.address() as AddressInfo; // it listens on a port
  const chained = await startIndexProxy({
    address: '127.0.0.1',
    upstream_proxy: `http://ada:pa%20ss@127.0.0.1:${companyPort}`,
  });
  chained.allow({ host: 'index.example', port: 443, configured: false });
  expect(await tunnel('index.example:443', chained.port)).toContain('index /simple');
  expect(seen[0]).toContain('CONNECT index.example:443 HTTP/1.1');
  expect(seen[0]).toContain(`Proxy-Authorization: Basic ${Buffer.from('ada:pa ss').toString('base64')}`);
  await chained.close();
  company.close();
});

test('a connection over its download limit is cut', async () => {
  const small = await startIndexProxy({ address: '127.0.0.1', max_bytes: 20 });
  small.allow({ host: '127.0.0.1', port, configured: true });
  const text = await tunnel(`127.0.0.1:${port}`, small.port).catch((error: unknown) => String(error));
  expect(text).not.toContain('no credentials');
  await small.close();
});
