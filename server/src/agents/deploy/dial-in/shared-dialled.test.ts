// Two processes at the door and one without a door, on one database. What dials in is a socket of the test.
import { randomBytes } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { serve, type Listening } from '../../../governance/http/listening/serve.ts';
import { join } from '../../../testing/agents/dialling-stand-in.ts';
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

async function openProcess(owner: string, { atDoor = true, of_key = key } = {}): Promise<Process> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const draining = new AbortController();
  const shared = openSharedDialled({
    db: app.db,
    owner,
    address: atDoor ? address : undefined,
    key: of_key,
    tls: undefined,
    draining: draining.signal,
    onError,
  });
  let listening: Listening | undefined;
  if (shared.upgrade !== undefined)
    listening = await serve(
      (_, outgoing) => outgoing.writeHead(404).end(),
      { host: '127.0.0.1', port, max_connections: 100, upgrades: [shared.upgrade] },
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

test('T597 a connection of an instance is handed over only to a process with the secret key, and only for a minute', async () => {
  const [door, stranger] = [
    await openProcess('door'),
    await openProcess('stranger', { atDoor: false, of_key: randomBytes(32) }),
  ];
  await dialTo(door);
  await expect.poll(async () => await app.db.all(sql`select from dialled`)).toHaveLength(1);
  await expect(stranger.dialled.take(instance_id)).rejects.toThrow('no process of the service had a connection');
  const answer = await join({ door: `http://${door.address}`, token: 'of nobody', more: {} });
  expect(answer.status).toBe(404); // this door takes no joins
  const other = await openProcess('other', { atDoor: false });
  expect(await says(await other.dialled.take(instance_id))).toBe('HELLO');
}, 20_000);
