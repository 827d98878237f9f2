// Two processes at the door and one without a door, on one database. What dials in is a socket of the test.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { serve, type Listening } from '../../../governance/http/listening/serve.ts';
import { certificate } from '../../../testing/servers/receivers.ts';
import { serveAgent, storeAgent } from '../../../testing/stored/stored-agent.ts';
import { freePort } from '../../../testing/servers/free-port.ts';
import { testApp, type TestApp } from '../../../testing/test-app.ts';
import { openSharedDialled, type SharedDialled } from './shared-dialled.ts';

interface Process extends SharedDialled {
  address: string;
  draining: AbortController;
  close(): Promise<void>;
}

const key = randomBytes(32);
const process = 'a'.repeat(64);
let app: TestApp;
let instance_id: string;
let open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  app = await testApp();
  const ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const revision_id = await serveAgent(
    app,
    await storeAgent(app, ada.email, { name: 'swarm' }),
    'http://nowhere.invalid',
  );
  const row = await app.db.one<{ id: string }>(sql`select id from instance where revision_id = ${revision_id}`);
  instance_id = row?.id ?? '';
});
beforeEach(async () => void (await app.db.run(sql`delete from door_process`)));
afterEach(async () => {
  for (const one of open) await one.close();
  open = [];
});
afterAll(async () => await app?.stop());

const onError = (error: unknown) => {
  throw error;
};

interface Given {
  atDoor?: boolean;
  of_key?: Buffer;
  tls?: { cert: string; key: string };
}

/** Its own certificate is the authority, as it is self-signed. */
async function openProcess(owner: string, { atDoor = true, of_key = key, tls }: Given = {}): Promise<Process> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const draining = new AbortController();
  const shared = openSharedDialled({
    db: app.db,
    owner,
    address: atDoor ? address : undefined,
    key: of_key,
    tls: tls && { ca: tls.cert, servername: 'localhost' },
    draining: draining.signal,
    onError,
  });
  let listening: Listening | undefined;
  if (shared.upgrade !== undefined)
    listening = await serve(
      (_, outgoing) => outgoing.writeHead(404).end(),
      { host: '127.0.0.1', port, max_connections: 100, upgrades: [shared.upgrade], tls },
      { unparsed: () => {}, full: () => {} },
    );
  const close = async () => {
    await shared.dialled.close();
    await listening?.close(0);
  };
  const one = { ...shared, address, draining, close };
  open.push(one);
  return one;
}

/** The instance's end of a connection that it has opened to the process. It answers what it is sent, in capitals. */
async function dialTo({ dialled }: Process): Promise<Socket> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const near = connect(port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  server.close();
  near.on('data', (bytes) => near.write(String(bytes).toUpperCase()));
  near.on('error', () => {});
  expect(dialled.add(instance_id, { process, socket: far })).toBe(true);
  return near;
}

async function says(socket: Socket): Promise<string> {
  socket.write('hello');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return String(answer);
}

test('a process without a door is handed a connection by the one that has it, and one that comes later is waited for', async () => {
  const [door, other] = [await openProcess('door'), await openProcess('other', { atDoor: false })];
  await dialTo(door);
  expect(await says(await other.dialled.take(instance_id))).toBe('HELLO');
  const waiting = other.dialled.take(instance_id);
  setTimeout(() => void dialTo(door), 500);
  expect(await says(await waiting)).toBe('HELLO');
});

test('every process knows where the instance is, until its connections have been away for ten seconds', async () => {
  const [door, other] = [await openProcess('door'), await openProcess('other', { atDoor: false })];
  expect(await other.dialled.isHere(instance_id, process)).toBe(true); // the door is too young to know
  await expect.poll(async () => await other.dialled.isOpen()).toBe(true);
  await app.db.run(sql`update door_process set opened_at = opened_at - interval '1 minute'`);
  expect(await other.dialled.isHere(instance_id, process)).toBe(false);
  const near = await dialTo(door);
  await expect.poll(async () => await other.dialled.here()).toEqual([instance_id]);
  expect(await other.dialled.isHere(instance_id, process)).toBe(true);
  expect(await other.dialled.isHere(instance_id, 'b'.repeat(64))).toBe(false);
  near.destroy();
  await app.db.run(sql`update dialled set seen_at = seen_at - interval '9 seconds'`);
  expect(await other.dialled.isHere(instance_id, process)).toBe(true);
  await expect.poll(async () => await other.dialled.isHere(instance_id, process), { timeout: 5000 }).toBe(false);
});

test('when a process at the door dies or stops, the connections of the others are used', async () => {
  const [dead, door, other] = [
    await openProcess('dead'),
    await openProcess('door'),
    await openProcess('other', { atDoor: false }),
  ];
  await dialTo(dead);
  await dialTo(door);
  await expect.poll(async () => await app.db.all(sql`select from dialled`)).toHaveLength(2);
  // As after kill -9: its rows are there, and nothing listens.
  await app.db.run(sql`update door_process set address = '127.0.0.1:1' where id = 'dead'`);
  expect(await says(await other.dialled.take(instance_id))).toBe('HELLO');
  door.draining.abort();
  await expect.poll(async () => await app.db.all(sql`select from door_process where id = 'door'`)).toEqual([]);
});

test('a door with TLS hands over too, and a process that does not trust its certificate sends it no permit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-door-'));
  const made = async (name: string) => {
    const files = await certificate(folder, name);
    return { cert: await readFile(files.cert, 'utf8'), key: await readFile(files.key, 'utf8') };
  };
  const [own, another] = [await made('own'), await made('another')];
  await rm(folder, { recursive: true });
  const door = await openProcess('door', { tls: own });
  const other = await openProcess('other', { atDoor: false, tls: own });
  const wary = await openProcess('wary', { atDoor: false, tls: another });
  await dialTo(door);
  await dialTo(door);
  await expect.poll(async () => await app.db.all(sql`select from dialled`)).toHaveLength(1);
  expect(await says(await other.dialled.take(instance_id))).toBe('HELLO');
  await expect(wary.dialled.take(instance_id)).rejects.toThrow('no process of the service had a connection');
}, 20_000);

test('T597 a connection of an instance is handed over only to a process with the secret key, and only for a short time', async () => {
  const [door, stranger] = [
    await openProcess('door'),
    await openProcess('stranger', { atDoor: false, of_key: randomBytes(32) }),
  ];
  await dialTo(door);
  await expect.poll(async () => await app.db.all(sql`select from dialled`)).toHaveLength(1);
  await expect(stranger.dialled.take(instance_id)).rejects.toThrow('no process of the service had a connection');
  const other = await openProcess('other', { atDoor: false });
  const headers = await shownBy(other);
  await app.db.run(sql`update door_process set address = ${door.address}`);
  expect(await replay(door, headers)).toBe(101);
  await dialTo(door);
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 150_000);
  expect(await replay(door, headers)).toBe(401);
  vi.restoreAllMocks();
  expect(await says(await other.dialled.take(instance_id))).toBe('HELLO');
}, 20_000);

/** The headers that the process sends to a door. */
async function shownBy({ dialled }: Process): Promise<IncomingHttpHeaders> {
  const recorder = createHttpServer().listen(0, '127.0.0.1');
  await once(recorder, 'listening');
  const address = `127.0.0.1:${(recorder.address() as AddressInfo).port}`; // it listens on TCP
  await app.db.run(sql`update door_process set address = ${address}`);
  const shown = once(recorder, 'upgrade') as Promise<[IncomingMessage, Socket]>;
  const taking = dialled.take(instance_id);
  const [{ headers }, socket] = await shown;
  socket.destroy();
  recorder.close();
  await expect(taking).rejects.toThrow('no process of the service had a connection');
  return headers;
}

async function replay({ address }: Process, headers: IncomingHttpHeaders): Promise<number> {
  const asked = request(`http://${address}/instances/take`, { headers });
  const { promise, resolve } = Promise.withResolvers<number>();
  asked.on('upgrade', ({ statusCode = 0 }, socket) => {
    socket.destroy();
    resolve(statusCode);
  });
  asked.on('response', (answer) => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
  });
  asked.end();
  return await promise;
}
