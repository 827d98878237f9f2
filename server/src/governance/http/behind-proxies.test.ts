import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { haproxy, nginx, type Proxy } from '../../testing/servers/proxies.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

const refused_path = '/api/v1/teams';
const proxies = { nginx, haproxy };
let app: TestApp;
let ada: TestUser;
let folder: string;
const started: Record<string, Proxy> = {};
beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { role: 'admin' });
  folder = await mkdtemp(join(tmpdir(), 'gantry-proxies-'));
  const { hostname, port } = new URL(app.url);
  const behind = { folder, service: { host: hostname, port: Number(port) }, refused_path };
  for (const [name, start] of Object.entries(proxies)) started[name] = await start(behind);
});
afterAll(async () => {
  for (const proxy of Object.values(started)) await proxy.end();
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A whole request that makes a team, hidden behind the end of another. */
const hidden = (team: string): string => {
  const body = JSON.stringify({ name: team });
  return `POST ${refused_path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ada.token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

// The bytes after the headers of a POST that hide a request, because two parsers disagree about its end.
const disagreements: [string, (hidden: string) => string][] = [
  [
    'a length and chunks',
    (rest) => `content-length: ${rest.length + 5}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${rest}`,
  ],
  [
    'chunks and a length',
    (rest) => `transfer-encoding: chunked\r\ncontent-length: ${rest.length + 5}\r\n\r\n0\r\n\r\n${rest}`,
  ],
  [
    'a short length and chunks',
    (rest) =>
      `content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`,
  ],
  ['two lengths', (rest) => `content-length: 0\r\ncontent-length: ${rest.length}\r\n\r\n${rest}`],
  ['two lengths in one', (rest) => `content-length: 0, ${rest.length}\r\n\r\n${rest}`],
  ['a length with a sign', (rest) => `content-length: +${rest.length}\r\n\r\n${rest}`],
  ['a length in another base', (rest) => `content-length: 0x${rest.length.toString(16)}\r\n\r\n${rest}`],
  ['a length behind a line feed', (rest) => `x: y\ncontent-length: ${rest.length}\r\n\r\n${rest}`],
  ['a length in a folded line', (rest) => `x: y\r\n content-length: ${rest.length}\r\n\r\n${rest}`],
  ['a length before a space and a colon', (rest) => `content-length : ${rest.length}\r\n\r\n${rest}`],
  [
    'a length that the header `connection` removes',
    (rest) => `connection: content-length\r\ncontent-length: ${rest.length}\r\n\r\n${rest}`,
  ],
  ...[
    'transfer-encoding: xchunked',
    'transfer-encoding : chunked',
    'transfer-encoding: chunked, identity',
    'transfer-encoding: identity, chunked',
    'transfer-encoding:\tchunked',
    'transfer-encoding: \u000bchunked',
    'transfer-encoding: chunked\r\ntransfer-encoding: x',
    'transfer-encoding: x\r\ntransfer-encoding: chunked',
    'x: y\ntransfer-encoding: chunked',
    'transfer-encoding\r\n : chunked',
    'Transfer_Encoding: chunked',
  ].map((header): [string, (hidden: string) => string] => [
    JSON.stringify(header),
    (rest) => `${header}\r\ncontent-length: ${rest.length + 5}\r\n\r\n0\r\n\r\n${rest}`,
  ]),
  ['a chunk shorter than its size', (rest) => `transfer-encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n${rest}`],
  [
    'a chunk with an extension and a line feed',
    (rest) => `transfer-encoding: chunked\r\n\r\n2;a\n{}\r\n0\r\n\r\n${rest}`,
  ],
  ['chunks that end in line feeds', (rest) => `transfer-encoding: chunked\r\n\r\n2\n{}\n0\n\n${rest}`],
  [
    'a chunk of a size past every number',
    (rest) => `transfer-encoding: chunked\r\n\r\n10000000000000000\r\n\r\n0\r\n\r\n${rest}`,
  ],
  [
    'a trailer that is a length',
    (rest) => `transfer-encoding: chunked\r\n\r\n0\r\ncontent-length: ${rest.length}\r\n\r\n${rest}`,
  ],
  ['an upgrade', (rest) => `connection: upgrade\r\nupgrade: h2c\r\ncontent-length: 0\r\n\r\n${rest}`],
  ['an expectation', (rest) => `expect: 100-continue\r\ncontent-length: 0\r\n\r\n${rest}`],
];

describe.each(Object.keys(proxies))('behind %s', (name) => {
  const url = (path: string) => `http://127.0.0.1:${started[name]?.port}${path}`;
  const alive = async () => await (await fetch(url('/livez'))).json();

  test('the service answers, and the proxy’s refusals are refused', async () => {
    expect(await alive()).toEqual({ status: 'ok' });
    const headers = { authorization: `Bearer ${ada.token}` };
    expect((await fetch(url('/api/v1/auth/me'), { headers })).status).toBe(200);
    expect((await fetch(url(refused_path), { headers })).status).toBe(403);
    expect((await fetch(app.url + refused_path, { headers })).status).toBe(200);
  });

  test.each(disagreements)('%s hides no request from it, and mixes up no answers', async (_, disagree) => {
    const team = `t${Math.random().toString(36).slice(2)}`;
    const begun = `POST /api/v1/auth/revoke HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
    await send(started[name]?.port ?? 0, begun + disagree(hidden(team)));
    for (let next = 0; next < 3; next++) expect(await alive()).toEqual({ status: 'ok' });
    const { items } = await ada.client.call('teams.list', {});
    expect(items.map((each) => each.name)).not.toContain(team);
  });
});

test('without a refusal the hidden request makes a team', async () => {
  await send(Number(new URL(app.url).port), hidden('made'));
  const { items } = await ada.client.call('teams.list', {});
  expect(items.map((each) => each.name)).toContain('made');
});

/** Until the peer has answered and closed, or is silent for half a second. */
async function send(port: number, text: string): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.setTimeout(500, () => socket.destroy());
  socket.on('error', () => {}); // closed while we still send: refused
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  socket.write(Buffer.from(text, 'latin1'));
  await closed;
}
