// Copies of the log to real receivers that are stopped, killed and restarted. No entry is missing or out of order.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EntryLine } from '@gantry/contract/audit/audit-stream.ts';
import type { Database } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { startQueues } from '../../../ground/queue/work.ts';
import { freePort } from '../../../testing/servers/free-port.ts';
import {
  certificate,
  entriesIn,
  httpReceiving,
  syslogReceiving,
  type Certificate,
  type HttpReceiving,
} from '../../../testing/servers/receivers.ts';
import type { Running } from '../../../testing/servers/running.ts';
import { testDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { append } from '../append.ts';
import { entryHash } from '../../../../../verifier/verify.mjs';
import { destinations, type Destination, type PushSettings } from './destination.ts';
import { pushing } from './push.ts';
import { pushState } from './state.ts';

let at: TestDatabase;
let db: Database;
let folder: string;
let trusted: Certificate;
type Pushing = Awaited<ReturnType<typeof startQueues>>;
let started: Pushing[] = [];
let closing: Destination[] = [];
let receivers: Running[] = [];
// Other tests use the same machine.
const patient = { timeout: 25_000, interval: 20 };
const token = 'a token for the receiver';
const signing_key = 'a key that signs the batches';

beforeEach(async () => {
  at = await testDatabase();
  db = at.db;
  folder = await mkdtemp(join(tmpdir(), 'gantry-push-'));
  trusted = await certificate(folder, 'trusted');
});
afterEach(async () => {
  await Promise.all(started.map((one) => one.stop()));
  await Promise.all(closing.map((one) => one.close()));
  await Promise.all(receivers.map((receiver) => receiver.end('SIGKILL')));
  [started, closing, receivers] = [[], [], []];
  await at.close();
  await rm(folder, { recursive: true });
});

const hostile = 'a\r\nb<134>1 - - forged - - -\u2028c\u0085\u001b[2J\u202e';

async function add(many: number, event: 'team.created' | 'login.failed' = 'team.created'): Promise<void> {
  for (let n = 0; n < many; n++) {
    const actor = { kind: 'user', id: null, name: 'ada@example.com' };
    const outcome = event === 'login.failed' ? 'refused' : 'done';
    const about = { team: null, asset: null, ip: null, request_id: null, detail: { n, hostile } };
    await db.transaction(async (tx) => await append(tx, { event, outcome, actor, ...about }, []));
  }
}

async function push(settings: PushSettings, send_ms = 20_000): Promise<Pushing> {
  const times = { retry_ms: 20, longest_retry_ms: 200, send_ms };
  const onError = () => {}; // failures are read from the state
  const all = destinations({ ca_file: trusted.cert, ...settings });
  const queues = all.map((to) => pushing(db, to, onError, times));
  const working = await startQueues(db, queues, { alone: false, onError, poll_ms: 20 });
  closing.push(...all);
  started.push(working);
  return working;
}

async function http(): Promise<{ receiver: HttpReceiving; url: string }> {
  const port = await freePort();
  const receiver = httpReceiving({ port, file: join(folder, 'taken'), tls: trusted });
  receivers.push(receiver);
  await receiver.start();
  return { receiver, url: `https://127.0.0.1:${port}/audit?secret=1` };
}

const takenBy = async (receiver: HttpReceiving) =>
  entriesIn((await receiver.batches()).flatMap(({ body }) => body.trimEnd().split('\n')));

/** The stored entries in the form for sending. */
async function stored(): Promise<Map<string, string>> {
  const rows = await db.all<{ chain: string; seq: number; hash: Buffer }>(
    sql`select chain, seq, hash from audit.entry`,
  );
  return new Map(rows.map(({ chain, seq, hash }) => [`${chain}/${seq}`, hash.toString('hex')]));
}

/** Checks that all entries arrived, complete and in order. Returns the number of repeats. */
async function expectWhole(taken: readonly EntryLine[]): Promise<number> {
  const expected = await stored();
  expect(new Map(taken.map(({ chain, seq, hash }) => [`${chain}/${seq}`, hash]))).toEqual(expected);
  const newest = new Map<string, number>();
  for (const { chain, seq } of taken) {
    expect(seq).toBeLessThanOrEqual((newest.get(chain) ?? 0) + 1);
    newest.set(chain, Math.max(seq, newest.get(chain) ?? 0));
  }
  for (const { hash, ...entry } of taken) expect(entryHash(entry)).toBe(hash);
  return taken.length - expected.size;
}

async function untilAllSent(settings: PushSettings): Promise<void> {
  for (const { name } of destinations({ ca_file: trusted.cert, ...settings }))
    await expect.poll(async () => (await pushState(db, name)).behind, patient).toBe(0);
}

test('an HTTP receiver that is killed during a push gets every entry in the end, in signed batches', async () => {
  const { receiver, url } = await http();
  const settings = { urls: [url], token, signing_key };
  await add(5, 'login.failed');
  await push(settings);
  for (let round = 0; round < 3; round++) {
    const before = (await receiver.batches()).length;
    // Each round has entries of its own. Else the entries of all rounds might be sent before the last one begins.
    const adding = add(100);
    await expect.poll(async () => (await receiver.batches()).length, patient).toBeGreaterThan(before);
    await receiver.end('SIGKILL');
    await receiver.start();
    await adding;
  }
  await untilAllSent(settings);
  await expectWhole(await takenBy(receiver));
  for (const { headers, body } of await receiver.batches()) {
    expect(headers['authorization']).toBe(`Bearer ${token}`);
    expect(headers['content-type']).toBe('application/x-ndjson');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', signing_key).update(signed).digest('base64')}`,
    );
  }
});

test('a receiver with an untrusted certificate or a refusal acknowledges nothing, and the state shows the reason', async () => {
  const { url } = await http();
  const other = await certificate(folder, 'other');
  await add(3);
  await push({ urls: [url], ca_file: other.cert });
  const name = url.replace(/\?.*/, '');
  await expect.poll(async () => (await pushState(db, name)).last_error, patient).toContain('certificate');
  const state = await pushState(db, name);
  expect(state).toMatchObject({ behind: 3, delivered_at: null });
  expect(state.failing_since).not.toBeNull();
  expect(JSON.stringify(state)).not.toContain('secret=1');
});

test('of several servers one sends, and another continues after it: no entry is missing or repeated', async () => {
  const { receiver, url } = await http();
  const settings = { urls: [url] };
  const one = await push(settings);
  for (let other = 2; other <= 3; other++) await push(settings);
  await add(40);
  await one.stop();
  await add(40);
  await untilAllSent(settings);
  expect(await expectWhole(await takenBy(receiver))).toBe(0);
});

test('a log restored from a backup is sent again from its beginning, and the state shows it', async () => {
  const { receiver, url } = await http();
  const settings = { urls: [url] };
  await add(5);
  const pusher = await push(settings);
  await untilAllSent(settings);
  await pusher.stop();
  await db.transaction(async (tx) => {
    await tx.run(sql`alter table audit.entry disable trigger append_only`);
    await tx.run(sql`delete from audit.entry where seq > 2`);
    await tx.run(
      sql`update audit.head set seq = 2, hash = (select hash from audit.entry where seq = 2) where chain = 'governance'`,
    );
    await tx.run(sql`alter table audit.entry enable always trigger append_only`);
  });
  await add(4);
  const lost = (await takenBy(receiver)).slice(2);
  await push(settings);
  const name = url.replace(/\?.*/, '');
  await expect.poll(async () => (await pushState(db, name)).notice, patient).toContain('governance/5');
  await untilAllSent(settings);
  const taken = await takenBy(receiver);
  // The copy still has the lost entries: it is the evidence.
  expect(taken.slice(2, 5)).toEqual(lost);
  expect(taken.slice(5).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  await moveClock('29 days');
  expect((await pushState(db, name)).notice).toContain('governance/5');
  await moveClock('31 days');
  expect((await pushState(db, name)).notice).toBe(null);
  await moveClock('0');
});

// The function's body cannot have a parameter. The interval is a constant of the tests.
const moveClock = async (interval: string) =>
  await db.run({
    strings: [
      `create or replace function clock_now() returns timestamptz language sql volatile as 'select clock_timestamp() + interval ''${interval}'''`,
    ],
    values: [],
  });

test('over TCP and TLS rsyslog gets every entry as one message, also after a restart; over UDP it gets the sent ones', async () => {
  const ports = { tcp: await freePort(), tls: await freePort(), udp: await freePort() };
  const receiver = await syslogReceiving(folder, ports, trusted);
  receivers.push(receiver);
  await receiver.start();
  const urls = [`syslog+tcp://127.0.0.1:${ports.tcp}`, `syslog+tls://127.0.0.1:${ports.tls}`];
  await add(3, 'login.failed');
  await push({ urls });
  const adding = add(400);
  for (let round = 0; round < 2; round++) {
    const before = (await receiver.messages('tls')).length;
    await expect.poll(async () => (await receiver.messages('tls')).length, patient).toBeGreaterThan(before);
    await receiver.end('SIGTERM');
    await receiver.start();
  }
  await adding;
  await untilAllSent({ urls });
  for (const way of ['tcp', 'tls'] as const) {
    await expect.poll(async () => new Set(await receiver.messages(way)).size, patient).toBe((await stored()).size);
    const messages = await receiver.messages(way);
    await expectWhole(entriesIn(messages));
    expect(messages[0]).toMatch(/^108 gantry login\.failed \{"kind":"entry","chain":"signin","seq":1,/);
    expect(messages.at(-1)).toMatch(/^109 gantry team\.created \{"kind":"entry","chain":"governance","seq":400,/);
  }
  const udp = { urls: [`syslog+udp://127.0.0.1:${ports.udp}`] };
  await push(udp);
  await untilAllSent(udp);
  await expect.poll(async () => (await receiver.messages('udp')).length, patient).toBeGreaterThan(0);
  for (const message of await receiver.messages('udp'))
    expect(message).toMatch(/^10[89] gantry (login\.failed|team\.created) \{"kind":"entry",/);
});

test('a missing syslog receiver delays nothing and loses nothing', async () => {
  const urls = [`syslog+tcp://127.0.0.1:${await freePort()}`, `syslog+udp://127.0.0.1:${await freePort()}`];
  await add(2);
  await push({ urls });
  for (const url of urls)
    await expect.poll(async () => (await pushState(db, url)).last_error, patient).toContain('ECONNREFUSED');
  expect((await pushState(db, urls[0] ?? '')).behind).toBe(2);
});

test.each([
  ['closes before reading', (socket: Socket) => socket.end(), 'closed the connection before the end'],
  ['breaks the connection', (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()), 'ECONNRESET'],
  ['never closes its side', (socket: Socket) => socket.resume(), 'did not answer in time'],
])('a syslog receiver that %s acknowledges nothing', async (_, answer, why) => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {}); // the other side closes first
    answer(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `syslog+tcp://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  await add(2);
  await push({ urls: [url] }, 1000);
  await expect.poll(async () => (await pushState(db, url)).last_error, patient).toContain(why);
  expect(await pushState(db, url)).toMatchObject({ behind: 2, delivered_at: null });
  server.close();
});
