// Containers take over one address from each other. The test keeps every byte that arrives there.
import { createHmac } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { request } from 'undici';
import { agentConnections, type AgentConnections } from './agent-connections.ts';
import { NotConnected, Unproven } from './proven-client.ts';

let server: Server;
let url: string;
let connections: AgentConnections;
/** The container that has the address now. */
let occupant: { identify: (challenge: string) => string };
let sockets: Socket[] = [];
let received = '';
let challenges: string[] = [];

const signs = (secret: string) => (challenge: string) =>
  `HTTP/1.1 204 No Content\r\nx-svc-proof: ${createHmac('sha256', secret).update(`svc-identity:${challenge}`).digest('hex')}\r\n\r\n`;
const containerOf = (revision_id: string) => ({ identify: signs(`secret-of-${revision_id}`) });

beforeEach(async () => {
  [sockets, received, challenges] = [[], '', []];
  connections = agentConnections();
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {}); // some tests cut the connection
    socket.on('data', (chunk) => {
      const text = chunk.toString();
      received += text;
      const challenge = /x-svc-challenge: (\w+)/.exec(text)?.[1];
      if (challenge === undefined) return void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      challenges.push(challenge);
      const said = occupant.identify(challenge);
      if (said === '') socket.destroy();
      else socket.write(said);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
});
afterEach(async () => {
  await connections.destroy();
  for (const socket of sockets) socket.destroy();
  server.close();
});

const reach = async () => await Promise.resolve({ url, headers: { 'x-entrance': 'token' } });

const call = async (revision_id: string) => {
  const secret = `secret-of-${revision_id}`;
  const { statusCode, body } = await request(`${url}/invoke`, {
    dispatcher: connections.to({ instance_id: revision_id, url, secret, reach }),
    method: 'POST',
    headers: { 'x-svc-ingress-secret': secret },
    body: 'what a caller says',
  });
  await body.dump();
  return statusCode;
};

test('each connection proves itself once for all its calls, with its own challenge', async () => {
  occupant = containerOf('one');
  for (let calls = 0; calls < 20; calls++) expect(await call('one')).toBe(200);
  expect(challenges).toHaveLength(sockets.length);
  // A connection becomes free shortly after its answer was read, so a second one may open.
  expect(sockets.length).toBeLessThanOrEqual(2);
  await Promise.all([call('one'), call('one'), call('one'), call('one')]);
  expect(sockets.length).toBeGreaterThan(2);
  expect(new Set(challenges).size).toBe(sockets.length);
  expect(received.split('what a caller says')).toHaveLength(25);
});

test.each([
  ['signs with the secret of another revision', signs('secret-of-two')],
  ['sends the challenge back', (challenge: string) => `HTTP/1.1 204 No Content\r\nx-svc-proof: ${challenge}\r\n\r\n`],
  ['has no proof', () => 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'],
  ['speaks another protocol', () => 'SSH-2.0-x\r\n\r\n'],
  ['never ends its answer', () => 'x'.repeat(10_000)],
  ['hangs up', () => ''],
])('a container that %s gets neither the secret nor the call', async (_, identify) => {
  occupant = { identify };
  await expect(call('one')).rejects.toThrow();
  expect(challenges.length).toBeGreaterThan(0);
  expect(received).not.toContain('secret-of-one');
  expect(received).not.toContain('what a caller says');
});

test('a container that took over the address of a revision gets only its own calls', async () => {
  occupant = containerOf('one');
  expect(await call('one')).toBe(200);
  // The first container dies, and the second gets its address before the service notices.
  for (const socket of sockets) socket.destroy();
  occupant = containerOf('two');
  received = '';
  await expect(call('one')).rejects.toMatchObject({ cause: expect.any(Unproven) });
  expect(await call('two')).toBe(200);
  expect(received).not.toContain('secret-of-one');
  expect(received.split('what a caller says')).toHaveLength(2);
  await expect(call('one')).rejects.toMatchObject({ cause: expect.any(Unproven) });
});

test('the proof goes through the entrance of the target, and a connection that ended proves itself anew', async () => {
  occupant = containerOf('one');
  url += '/pods/one';
  expect(await call('one')).toBe(200);
  expect(received).toMatch(/^GET \/pods\/one\/identity HTTP\/1\.1\r\n[^]*x-entrance: token\r\n/);
  for (const socket of sockets) socket.end();
  await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true);
  expect(await call('one')).toBe(200);
  expect(challenges).toHaveLength(2);
});

test('many calls at once share no connection, and at an address without a server each of them is NotConnected', async () => {
  occupant = containerOf('one');
  const statuses = await Promise.all(Array.from({ length: 50 }, async () => await call('one')));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(new Set(challenges).size).toBe(sockets.length);
  server.close();
  const refusals = await Promise.allSettled(Array.from({ length: 20 }, async () => await call('two')));
  for (const refusal of refusals) expect(refusal).toMatchObject({ reason: expect.any(NotConnected) });
});
