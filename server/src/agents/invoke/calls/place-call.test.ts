import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { ServingAddress } from '../../deploy/serving/serving.ts';
import { agentConnections } from '../../deploy/connections/agent-connections.ts';
import { callPlaced, openCalls } from './place-call.ts';
import type { UpstreamCall } from '../upstream.ts';

const secret = 's';
const connections = agentConnections();
let servers: Server[] = [];
afterEach(() => {
  for (const server of servers) server.close();
  servers = [];
});
afterAll(async () => await connections.destroy());

const caller = {
  id: 'u',
  label: 'u',
  email: 'u@example.com',
  memberships: [],
  origin: {},
} as unknown as UpstreamCall['caller']; // what is signed
const question = { agent: { id: 'a', ref: 'agents/a' }, caller, method: 'POST', path: '/invoke' } as const;

/** An instance whose calls `answer`. */
async function instance(
  name: string,
  answer: (called: string[]) => { status: number; headers?: Record<string, string> } | 'break',
) {
  const called: string[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/identity') {
      const challenge = request.headers['x-svc-challenge'];
      const proof = createHmac('sha256', secret)
        .update(`svc-identity:${String(challenge)}`)
        .digest('hex');
      return void response.writeHead(204, { 'x-svc-proof': proof }).end();
    }
    called.push(request.url ?? '');
    const given = answer(called);
    if (given === 'break') return void request.socket.destroy();
    response.writeHead(given.status, { 'content-type': 'application/json', ...given.headers }).end(`"${name}"`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  return { called, address: at(name, url) };
}

const at = (name: string, url: string): ServingAddress => ({
  instance_id: name,
  secret,
  reach: async () => ({ url, headers: {} }),
});

// The first of the list comes first.
const inOrder = () => 0;

async function call(instances: ServingAddress[], beforeSending?: () => Promise<undefined>) {
  const placed = openCalls(inOrder).place(instances);
  const { status, body } = await callPlaced(connections, placed, question, beforeSending);
  await body.dump();
  return { status, by: placed.instance.instance_id };
}

test('a call that an instance has not begun goes to another one, once to each', async () => {
  const full = await instance('full', () => ({ status: 429, headers: { 'x-svc-not-begun': 'full' } }));
  const draining = await instance('draining', () => ({ status: 503, headers: { 'x-svc-not-begun': 'draining' } }));
  const free = await instance('free', () => ({ status: 200 }));
  const sendings: string[] = [];
  const gone = at('gone', 'http://127.0.0.1:9');
  const answered = await call(
    [gone, full.address, draining.address, free.address],
    async () => void sendings.push('sent'),
  );
  expect([answered, sendings.length]).toEqual([{ status: 200, by: 'free' }, 4]);
  expect(await call([gone, full.address])).toEqual({ status: 429, by: 'full' });
  await expect(call([gone, gone])).rejects.toMatchObject({ code: 'agent_unavailable' });
});

test('a call that an instance may have begun is sent to no other', async () => {
  const free = await instance('free', () => ({ status: 200 }));
  const dying = await instance('dying', () => 'break');
  await expect(call([dying.address, free.address])).rejects.toMatchObject({ code: 'agent_unavailable' });
  // The agent itself may answer with these.
  const busy = await instance('busy', () => ({ status: 429 }));
  expect(await call([busy.address, free.address])).toEqual({ status: 429, by: 'busy' });
  expect([dying.called, free.called]).toEqual([['/invoke'], []]);
});

test('of two instances, the one with fewer open calls gets the call', () => {
  const calls = openCalls();
  const instances = [at('one', ''), at('two', '')];
  const placed = Array.from({ length: 10 }, () => calls.place(instances));
  const counted = (name: string) => placed.filter(({ instance: { instance_id } }) => instance_id === name).length;
  expect([counted('one'), counted('two')]).toEqual([5, 5]);
  for (const one of placed.filter(({ instance: { instance_id } }) => instance_id === 'one')) one.end();
  const next = Array.from({ length: 5 }, () => calls.place(instances).instance.instance_id);
  expect(next).toEqual(Array.from({ length: 5 }, () => 'one'));
});
