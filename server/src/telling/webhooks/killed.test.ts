// The senders of mail and webhooks are really killed, again and again, and so are their receivers.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { approve } from '../../agents/approvals/approve.ts';
import { sql } from '../../ground/database/sql.ts';
import { invite } from '../../people/login/admit.ts';
import { openOutbound } from '../../ground/outbound/outbound.ts';
import { createUser } from '../../people/principals/users.ts';
import { create as createAsset } from '../../assets/registry/assets/create.ts';
import { seedCast, type Cast } from '../../testing/access/cast.ts';
import { submit } from '../../agents/approvals/submit.ts';
import type { OutgoingWorkerSettings } from '../../testing/killed/outgoing-worker.ts';
import { receiver, type Receiver } from '../../testing/servers/receiver.ts';
import { smtpServer, type SmtpServer } from '../../testing/servers/smtp-server.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { create } from './create.ts';
import { rules } from '../../testing/pushes/rules.ts';

const secret_key = Buffer.alloc(32, 7);
let base: TestDatabase;
let cast: Cast;
let smtp: SmtpServer;
let hook: Receiver;
let secret: string;
let settings: OutgoingWorkerSettings;
let children: ChildProcess[] = [];
let made = 0;

beforeAll(async () => {
  base = await testDatabase();
  cast = await seedCast(base.db);
  [smtp, hook] = await Promise.all([smtpServer(), receiver()]);
  await smtp.start('starttls');
  const url = `smtp://gantry:${encodeURIComponent('a mail/password')}@localhost:${smtp.port}`;
  settings = {
    connection: base.app,
    mail: { url, from: 'gantry@example.com', ca_file: smtp.ca_file, plaintext: false },
    private_hosts: [hook.host],
    secret_key: secret_key.toString('base64'),
    alone: true,
  };
  const outbound = openOutbound({ private_hosts: [hook.host] });
  const input = { name: 'siem', url: hook.url, events: ['approval.*'] };
  ({ secret } = await create({ db: base.db, outbound, secret_key }, await cast.caller('root'), input));
  await outbound.close();
}, 120_000);
afterAll(async () => {
  await kill();
  await Promise.all([smtp?.close(), hook?.close(), base?.close()]);
});

async function start(more: Partial<OutgoingWorkerSettings> = {}): Promise<void> {
  const script = join(import.meta.dirname, '../../testing/killed/outgoing-worker.ts');
  const given = JSON.stringify({ ...settings, ...more });
  const child = spawn(process.execPath, [script, given], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
}

async function kill(): Promise<void> {
  const ended = children.map(async (child) => void (await once(child, 'exit')));
  for (const child of children) child.kill('SIGKILL');
  children = [];
  await Promise.all(ended);
}

/** Two entries, and a mail for each admin of team ml, and one for ada. */
async function decided(): Promise<void> {
  const ada = await cast.caller('ada');
  const name = `tool-${++made}`;
  const plain = { version: '1.0.0', description: '', tags: [], visibility: 'org', config: {} } as const;
  await createAsset({ db: base.db, rules }, ada, 'tool', { ...plain, name, team: 'ml', tags: [] });
  const { id } = await submit({ db: base.db, targets: async () => [], planFor: async () => undefined }, ada, {
    asset: `tools/${name}@1.0.0`,
    message: '',
  });
  await approve({ db: base.db, planFor: async () => undefined }, await cast.caller('max'), id, 'fine');
}

const messageIds = async () => (await smtp.inbox()).map(({ head }) => /^Message-ID: (\S+)/im.exec(head)?.[1] ?? 'none');
const deliveryIds = async () => (await hook.received()).map(({ headers }) => headers['webhook-id'] ?? 'none');
/** Messages without a confirmed delivery. */
async function left(): Promise<number | undefined> {
  const row = await base.db.one<{ left: number }>(sql`
    select count(*) as left from job where state <> 'done'`);
  return row?.left;
}
const distinct = (ids: string[]) => new Set(ids).size;
const until = async (look: () => Promise<void>) => await vi.waitFor(look, { timeout: 20_000, interval: 50 });

test('a process killed before the answer leaves its message to the next, under the same id', async () => {
  await smtp.be('mute', true);
  hook.answer('never');
  await decided();
  await start();
  await until(async () => {
    expect(await messageIds()).toHaveLength(4);
    expect(await deliveryIds()).toHaveLength(1);
  });
  await kill();
  await smtp.be('mute', false);
  hook.answer(200);
  await start();
  // Three admins and one submitter get mail; no delivery is confirmed, so each comes once more.
  await until(async () => {
    expect(await messageIds()).toHaveLength(8);
    expect(await deliveryIds()).toHaveLength(3);
    expect(await left()).toBe(0);
  });
  expect([distinct(await messageIds()), distinct(await deliveryIds())]).toEqual([4, 2]);
  await kill();
});

test('an invitation survives every kill, with one token and under one id', async () => {
  const before = await messageIds();
  const passwords = { oneTime: async () => await Promise.resolve({ password: 'none', hash: 'none' }) };
  const invited = async (email: string) =>
    await createUser({ db: base.db, passwords, invite }, await cast.caller('root'), {
      email,
      role: 'viewer',
      one_time_password: false,
    });
  // Nobody sends mail at this moment: the entry alone triggers it.
  await invited('ida@example.com');
  const letters = async (to = 'ida@example.com') => (await smtp.inbox()).filter((each) => each.to.includes(to));
  const token = ({ body }: { body: string }) => /gpw_[\w-]{64}/.exec(body)?.[0] ?? 'none';
  await smtp.be('mute', true);
  await start();
  await until(async () => expect(await letters()).toHaveLength(1));
  await kill();
  await smtp.be('mute', false);
  await start();
  await until(async () => expect(await left()).toBe(0));
  expect((await messageIds()).length - before.length).toBe(2);
  expect(distinct((await letters()).map(token))).toBe(1);
  expect((await letters()).map(token)).not.toContain('none');
  expect(distinct(await messageIds()) - distinct(before)).toBe(1);
  await kill();
  // The next process does not send a confirmed mail again.
  await start();
  await invited('ivo@example.com');
  await until(async () => expect([(await letters('ivo@example.com')).length, await left()]).toEqual([1, 0]));
  expect(await letters()).toHaveLength(2);
  await kill();
});

test('two workers on one database send nothing twice', async () => {
  const before = { mails: await messageIds(), deliveries: await deliveryIds() };
  await Promise.all([start({ alone: false }), start({ alone: false })]);
  for (let n = 0; n < 4; n++) await decided();
  const all = before.mails.length + 4 * 4;
  await until(async () => expect([(await messageIds()).length >= all, await left()]).toEqual([true, 0]));
  expect(await messageIds()).toHaveLength(all);
  await until(async () => expect(await deliveryIds()).toHaveLength(before.deliveries.length + 4 * 2));
  expect(distinct(await messageIds())).toBe(distinct(before.mails) + 4 * 4);
  expect(distinct(await deliveryIds())).toBe(distinct(before.deliveries) + 4 * 2);
  await kill();
});

test('after kills at any moment every message arrives, in order, and none is made twice', async () => {
  const before = { mails: distinct(await messageIds()), deliveries: distinct(await deliveryIds()) };
  const rounds = 3;
  const decisions_per_round = 2;
  for (let round = 0; round < rounds; round++) {
    await start();
    for (let n = 0; n < decisions_per_round; n++) await decided();
    // At another moment of the work each time.
    const sent = await messageIds();
    await until(async () => expect((await messageIds()).length).toBeGreaterThanOrEqual(sent.length + round));
    await kill();
    if (round === 0) await hook.kill();
    if (round === 1) await hook.start();
    if (round === 2) await smtp.start('starttls');
  }
  await start();
  // Delayed jobs are due again.
  await base.db.run({
    strings: [
      `create or replace function clock_now() returns timestamptz language sql volatile as 'select clock_timestamp() + interval ''10 minutes'''`,
    ],
    values: [],
  });
  const decisions = rounds * decisions_per_round;
  await until(async () => {
    expect(distinct(await messageIds())).toBe(before.mails + decisions * 4);
    expect(distinct(await deliveryIds())).toBe(before.deliveries + decisions * 2);
  });
  await until(async () => expect(await left()).toBe(0));
  // Only messages in progress at a kill can have a copy: four mails and one delivery at a time.
  expect((await messageIds()).length - distinct(await messageIds())).toBeLessThanOrEqual(4 + 4 * (rounds + 1));
  const received = await hook.received();
  const seqs = received.map(({ body, headers }) => {
    return (new Webhook(secret).verify(body, headers) as { seq: number }).seq;
  });
  expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
}, 60_000);
