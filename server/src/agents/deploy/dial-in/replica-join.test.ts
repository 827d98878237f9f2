// Replicas of a platform, which all have the token of their revision. What shows it is a process of the test.
import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { join as joinDoor } from '../../../testing/agents/dialling-stand-in.ts';
import { freePort } from '../../../testing/servers/free-port.ts';
import { serveAgent, storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp } from '../../../testing/test-app.ts';
import * as instanceStore from '../instance-store.ts';
import { hashed } from './join-token.ts';
import * as replicaStore from '../replica-store.ts';

let app: TestApp;
let door: string;
let revision_id: string;
let token: string;
let open: { destroy: () => void }[] = [];

beforeAll(async () => {
  const [port, second_port] = [await freePort(), await freePort()];
  app = await testApp({
    config: {
      engine_host: 'unix:///nowhere/docker.sock',
      door: { port, url: undefined, host: undefined, urls: [], second_port, notices: [] },
    },
    door_addresses: ['127.0.0.1'],
  });
  door = `http://127.0.0.1:${port}`;
  const ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  revision_id = await serveAgent(app, await storeAgent(app, ada.email, { name: 'swarm' }), 'http://nowhere.invalid');
  token = createHmac('sha256', app.keys['ingress-secret']).update(`join ${revision_id}`).digest('base64url');
  await vi.waitFor(async () => void (await fetch(door)), { timeout: 10_000 });
});
beforeEach(async () => await offer({ instances: 2, most: 0 }));
afterEach(() => {
  for (const one of open) one.destroy();
  open = [];
});
afterAll(async () => await app?.stop());

/** So many instances are asked for, and none has a process. */
async function offer({ instances, most }: { instances: number; most: number }): Promise<void> {
  await app.db.run(sql`delete from instance where revision_id = ${revision_id}`);
  await replicaStore.putSharedToken(app.db, { revision_id, hash: hashed(token), most });
  for (let n = 0; n < instances; n++) {
    const id = await instanceStore.insertPlanned(app.db, { revision_id, target: 'local' });
    await instanceStore.setPlace(app.db, id, { place: { instance_id: id, name: 'svc-swarm' }, egress: null });
    await replicaStore.setAsked(app.db, id, true);
  }
}

const newProcess = () => randomBytes(32).toString('hex');

async function join(process = newProcess(), more: Record<string, string> = {}): Promise<number> {
  const { status, socket } = await joinDoor({ door, token, process, more });
  if (socket !== undefined) open.push(socket);
  return status;
}

const rows = async () =>
  await app.db.all<{
    n: number;
    is_taken: boolean;
    replica: string | null;
    place: { instance_id?: string };
    id: string;
  }>(sql`
    select n, id, process_hash is not null as is_taken, replica, place from instance where revision_id = ${revision_id} order by n`);

test('each process becomes one of the instances that are asked for, and one more is refused and on the record', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 6 }, async () => await join(newProcess(), { 'x-svc-replica': 'pod-1' })),
  );
  expect(statuses.toSorted((a, b) => a - b)).toEqual([101, 101, 403, 403, 403, 403]);
  expect(await rows()).toMatchObject([
    { n: 1, is_taken: true, replica: 'pod-1' },
    { n: 2, is_taken: true, replica: 'pod-1' },
  ]);
  const refused = await app.db.all<{ reason: string }>(sql`
    select body::jsonb -> 'detail' ->> 'reason' as reason from audit.entry
    where body::jsonb ->> 'event' = 'refused' and body::jsonb -> 'detail' ->> 'code' = 'join_refused' order by seq`);
  expect(refused.at(-1)?.reason).toBe('As many processes have joined with this token as instances are asked for.');
});

test('many connections of one process are one instance, with one entry in the log', async () => {
  const joins = async () =>
    (await app.db.all(sql`select from audit.entry where body::jsonb ->> 'event' = 'instance.joined'`)).length;
  const before = await joins();
  const process = newProcess();
  const statuses = await Promise.all(Array.from({ length: 8 }, async () => await join(process)));
  expect(new Set(statuses)).toEqual(new Set([101]));
  expect((await rows()).map(({ is_taken }) => is_taken)).toEqual([true, false]);
  expect(await joins()).toBe(before + 1);
});

test('an instance that is not asked for, or that drains, is nobody', async () => {
  const [first, second] = await rows();
  await replicaStore.setAsked(app.db, first?.id ?? '', false);
  await instanceStore.setDraining(app.db, second?.id ?? '');
  expect(await join()).toBe(403);
});

test('a process that drains comes back as the instance it is, and becomes no other one', async () => {
  const process = newProcess();
  expect(await join(process)).toBe(101);
  expect(await join(process, { 'x-svc-draining': 'true' })).toBe(101);
  expect(await join(newProcess(), { 'x-svc-draining': 'true' })).toBe(403);
});

test('a process that was let go joins no more, though its instance is asked for again', async () => {
  const [first] = await rows();
  const process = newProcess();
  expect(await join(process)).toBe(101);
  await replicaStore.letGo(app.db, first?.id ?? '');
  expect(await join(process)).toBe(403);
  // Another one becomes the instance.
  expect([await join(), await join(), await join()]).toEqual([101, 101, 403]);
});

test('a process that takes the place of a dead one gets no call before the service has looked at it, and the end is an event', async () => {
  const [first] = await rows();
  const url = 'http://of-the-dead.dialled.invalid';
  await app.db.run(sql`
    update instance set process_hash = 'of the dead', process_since = clock_now() - interval '1 min', url = ${url} where id = ${first?.id ?? ''}`);
  await replicaStore.setAsked(app.db, (await rows())[1]?.id ?? '', false);
  expect(await join()).toBe(101);
  expect(await app.db.one(sql`select url from instance where id = ${first?.id ?? ''}`)).toEqual({ url: null });
  const ended = sql`select n, detail from agent_event where kind = 'ended' and revision_id = ${revision_id}`;
  expect(await app.db.all(ended)).toEqual([{ n: 1, detail: 'The replica ended. Its platform makes another one.' }]);
});

test('a platform with a scaler adds instances up to its bound, each with a place of its own, and none while nothing is asked for', async () => {
  await offer({ instances: 1, most: 3 });
  const statuses = await Promise.all(Array.from({ length: 6 }, async () => await join()));
  expect(statuses.toSorted((a, b) => a - b)).toEqual([101, 101, 101, 403, 403, 403]);
  const all = await rows();
  expect(all.map(({ n }) => n)).toEqual([1, 2, 3]);
  for (const { id, place } of all) expect(place).toEqual({ instance_id: id, name: 'svc-swarm' });
  for (const { id } of all) await replicaStore.setAsked(app.db, id, false);
  expect(await join()).toBe(403);
});

test('a name that no platform gives is not stored', async () => {
  expect(await join(newProcess(), { 'x-svc-replica': 'x'.repeat(300) })).toBe(101);
  expect((await rows())[0]).toMatchObject({ is_taken: true, replica: null });
});
