// Instances that dial in, at a real door. What shows the token of a start is a process of the test.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import {
  dialIn,
  join as joinDoor,
  type DiallingStandIn,
  type Joining,
} from '../../../testing/agents/dialling-stand-in.ts';
import { freePort } from '../../../testing/servers/free-port.ts';
import { serveAgent, storeAgent, type StoredAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import * as instanceStore from '../instance-store.ts';
import { ingressSecret } from '../serving/ingress-secret.ts';
import { dialledUrl } from './dialled.ts';
import { issueToken } from './join-token.ts';

const params = { name: 'traveller' };
let app: TestApp;
let ada: TestUser;
let door: string;
let agent: StoredAgent;
let secret: string;
let instance_id: string;
let token: string;
let running: Pick<DiallingStandIn, 'stop'>[] = [];

beforeAll(async () => {
  const [port, second_port] = [await freePort(), await freePort()];
  app = await testApp({
    config: {
      sync_budget_seconds: 8,
      engine_host: 'unix:///nowhere/docker.sock',
      door: { port, url: undefined, host: undefined, urls: [], second_port, notices: [] },
    },
    door_addresses: ['127.0.0.1'],
  });
  door = `http://127.0.0.1:${port}`;
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  agent = await storeAgent(app, ada.email, params);
  const revision_id = await serveAgent(app, agent, 'http://nowhere.invalid');
  secret = ingressSecret(app.keys['ingress-secret'], revision_id);
  const row = await app.db.one<{ id: string }>(sql`select id from instance where revision_id = ${revision_id}`);
  instance_id = row?.id ?? '';
  await vi.waitFor(async () => void (await fetch(door)), { timeout: 10_000 });
});
beforeEach(async () => {
  // As a start does it.
  await app.db.run(sql`update instance set url = ${dialledUrl(instance_id)} where id = ${instance_id}`);
  token = await issueToken(app.db, instance_id);
});
afterEach(() => {
  for (const one of running) one.stop();
  running = [];
});
afterAll(async () => await app?.stop());

/** A connection that answers nothing. */
async function join(joining: Joining) {
  const joined = await joinDoor(joining);
  running.push({ stop: () => joined.socket?.destroy() });
  return joined;
}

const newProcess = () => randomBytes(32).toString('hex');

function started(answer: RequestListener, process = newProcess(), of_token = token): DiallingStandIn {
  const one = dialIn({ door, token: of_token, process }, secret, { answer });
  running.push(one);
  return one;
}

const says: (text: string) => RequestListener = (text) => (incoming, outgoing) => {
  incoming.resume();
  // It has no run before the call itself has come.
  if (incoming.method === 'GET') return void outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  outgoing.writeHead(200, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify({ run_id: incoming.headers['x-svc-run-id'], status: 'completed', output: text }));
};

async function call(): Promise<{ status: number; text: string }> {
  const answer = await ada.client.call('invoke.call', { params, body: Buffer.from('{"input":{"at":""}}') });
  return { status: answer.status, text: await answer.text() };
}

const joins = async () =>
  await app.db.all<{ detail: object }>(sql`
    select body::jsonb -> 'detail' as detail from audit.entry where body::jsonb ->> 'event' = 'instance.joined' order by seq`);
const refusals = async () =>
  await app.db.all<{ detail: { reason: string } }>(sql`
    select body::jsonb -> 'detail' as detail from audit.entry
    where body::jsonb ->> 'event' = 'refused' and body::jsonb -> 'detail' ->> 'code' = 'join_refused'`);

test('an instance without an address is called on its own connections, and its join is one entry of the log', async () => {
  const before = (await joins()).length;
  started(says('from the inside'));
  expect(await call()).toMatchObject({ status: 200, text: expect.stringContaining('from the inside') });
  for (const { status } of await Promise.all(Array.from({ length: 12 }, call))) expect(status).toBe(200);
  const entries = await joins();
  expect(entries).toHaveLength(before + 1);
  expect(entries.at(-1)?.detail).toMatchObject({ instance_id, n: 1, target: 'local' });
});

test('a call waits for an instance that comes a little later, and one without a connection is refused in time', async () => {
  const waiting = call();
  setTimeout(() => started(says('late')), 300);
  expect(await waiting).toMatchObject({ status: 200, text: expect.stringContaining('late') });
  for (const one of running) one.stop();
  // The call is kept, as one to a container that does not answer, and ends when the instance is back.
  const kept = await call();
  expect(kept.status).toBe(202);
  const { run_id } = JSON.parse(kept.text) as { run_id: string };
  token = await issueToken(app.db, instance_id);
  started(says('back again'));
  const ended = async () => await (await ada.client.call('invoke.run', { params: { ...params, run_id } })).text();
  await expect.poll(ended, { timeout: 20_000 }).toContain('back again');
}, 60_000);

test('a join without a token, with another token, and with the secret of the revision is refused and on the record', async () => {
  const process = newProcess();
  // The neighbouring allowed join.
  expect((await join({ door, token, process })).status).toBe(101);
  expect((await join({ door, process })).status).toBe(401);
  for (const wrong of [randomBytes(32).toString('base64url'), secret, 'x']) {
    const answer = await join({ door, token: wrong, process });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'join_refused' });
  }
  expect((await join({ door, token, process: 'no id' })).status).toBe(401);
  expect((await refusals()).map(({ detail }) => detail.reason)).toContain('No start of an instance has this token.');
});

test('a second process with the token of a start is refused, and gets no call', async () => {
  started(says('the first'));
  expect((await call()).text).toContain('the first');
  expect((await join({ door, token })).status).toBe(403);
  const many = await Promise.all(Array.from({ length: 8 }, async () => (await join({ door, token })).status));
  expect(new Set(many)).toEqual(new Set([403]));
  expect((await call()).text).toContain('the first');
});

test('of many processes that show a fresh token at once, one joins', async () => {
  const many = await Promise.all(Array.from({ length: 8 }, async () => (await join({ door, token })).status));
  expect(many.filter((status) => status === 101)).toHaveLength(1);
  expect(many.filter((status) => status === 403)).toHaveLength(7);
});

test('a new start ends the token before, and a stopped, ended or removed instance has none', async () => {
  const process = newProcess();
  expect((await join({ door, token, process })).status).toBe(101);
  const next = await issueToken(app.db, instance_id);
  expect((await join({ door, token, process })).status).toBe(403);
  expect((await join({ door, token: next, process })).status).toBe(101);
  await instanceStore.setEnded(app.db, instance_id);
  expect((await join({ door, token: next, process })).status).toBe(403);
  const last = await issueToken(app.db, instance_id);
  expect((await join({ door, token: last, process })).status).toBe(101);
  await instanceStore.setStopped(app.db, instance_id);
  expect((await join({ door, token: last, process })).status).toBe(403);
  const planned = await instanceStore.insertPlanned(app.db, { revision_id: await revisionOf(), target: 'local' });
  const of_planned = await issueToken(app.db, planned);
  expect((await join({ door, token: of_planned, process })).status).toBe(101);
  await app.db.transaction(
    async (tx) => await instanceStore.removeInstance(tx, { id: planned, revision_id: await revisionOf() }),
  );
  expect((await join({ door, token: of_planned, process })).status).toBe(403);
});

const revisionOf = async () =>
  (await app.db.one<{ revision_id: string }>(sql`select revision_id from instance where id = ${instance_id}`))
    ?.revision_id ?? '';

test('a process that joins and does not prove its revision gets no call', async () => {
  const seen: string[] = [];
  const one = dialIn({ door, token, process: newProcess() }, 'the secret of another revision', {
    answer: (incoming, outgoing) => {
      seen.push(incoming.url ?? '');
      outgoing.end('{}');
    },
  });
  running.push(one);
  expect(await call()).toMatchObject({ status: 202 });
  expect(seen).toEqual([]);
}, 30_000);

test('connections that broke are replaced, and the next call is answered', async () => {
  const one = started(says('still here'));
  expect((await call()).status).toBe(200);
  for (const socket of one.sockets) socket.destroy();
  expect(await call()).toMatchObject({ status: 200, text: expect.stringContaining('still here') });
});

test('a flood of connections that never speak, and of joins of one process, takes nothing from the calls', async () => {
  const process = newProcess();
  started(says('through the flood'), process);
  expect((await call()).status).toBe(200);
  const silent: Socket[] = Array.from({ length: 200 }, () => connect(Number(new URL(door).port), '127.0.0.1'));
  for (const socket of silent) socket.on('error', () => {});
  const joined = await Promise.all(Array.from({ length: 60 }, async () => await join({ door, token, process })));
  expect(new Set(joined.map(({ status }) => status))).toEqual(new Set([101]));
  for (const { socket } of joined) socket?.resume();
  // Above its bound the door closes them at once.
  await expect
    .poll(() => joined.filter(({ socket }) => socket?.readableEnded || socket?.destroyed).length)
    .toBeGreaterThan(20);
  for (const { socket } of joined) socket?.destroy();
  expect((await call()).status).toBe(200);
  for (const socket of silent) socket.destroy();
});

test('another protocol at the path, and the path without one, is no join', async () => {
  const plain = await fetch(`${door}/instances/join`, { headers: { authorization: `Bearer ${token}` } });
  expect(plain.status).toBe(404);
  await plain.text();
  const outside = await join({ door: app.url, token });
  expect(outside.status).toBe(404);
});
