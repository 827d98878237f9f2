// Those who may answer a waiting run are told of it. The clock of the database makes the minutes.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { announceWaiting } from '../../agents/memory/inbox/announce.ts';
import { openDatabase, type Database } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { smtpServer, type ReceivedLetter, type SmtpServer } from '../../testing/servers/smtp-server.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { storeThread } from '../../testing/stored/stored-thread.ts';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let smtp: SmtpServer;
let app: TestApp;
let replica: Database;
let owner: TestUser;
let cal: TestUser;
let dora: TestUser;
let otto: TestUser;
let made = 0;
const faults: unknown[] = [];

beforeAll(async () => {
  smtp = await smtpServer();
  await smtp.start('starttls');
  const url = `smtp://gantry:${encodeURIComponent('a mail/password')}@localhost:${smtp.port}`;
  app = await testApp({
    config: {
      engine_host: 'unix:///nowhere/docker.sock',
      base_url: 'https://gantry.example.com',
      mail: { url, from: 'gantry@example.com', ca_file: smtp.ca_file, plaintext: false },
    },
  });
  replica = openDatabase(app.connection, { max: 2 });
  owner = await app.user('owner@example.com', { teams: { ml: 'contributor' } });
  cal = await app.user('cal@example.com', { teams: { ml: 'viewer' } });
  dora = await app.user('dora@example.com', { teams: { ml: 'deployer' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'admin' } });
}, 120_000);
afterAll(async () => {
  await replica?.close();
  await app?.stop();
  await smtp?.close();
});

/** An agent that waits for an answer of its caller, or of those whom it names. */
async function asker(may_answer: string[] = ['role:deployer']): Promise<StoredAgent> {
  const yaml = `access: {may_answer: ${JSON.stringify(may_answer)}, visibility: team}\n`;
  const agent = await storeAgent(app, owner.email, { name: `asker-${++made}`, yaml });
  await standInFor(app, agent, (_, response) => response.end('{}'));
  return agent;
}

const ask = async (agent: StoredAgent, by: TestUser = cal) =>
  (await storeThread(app, agent, by.email, { states: 1, waits: true })) ?? '';
const isAnswered = async (thread: string) =>
  await app.db.run(sql`update thread set waits = null, waiting_since = null where id = ${thread}`);

let minutes = 0;
async function pass(more: number): Promise<void> {
  minutes += more;
  await app.moveClock(`${minutes} minutes`);
}
const look = async (db: Database = app.db) => {
  while (await announceWaiting(db, { onError: (error) => faults.push(error) }));
};
const entries = async ({ name }: StoredAgent) =>
  (
    await app.db.all<{ detail: { threads: string[]; waiting: number; callers: string[] } }>(sql`
      select body::jsonb -> 'detail' as detail from audit.entry
      where event = 'thread.waits' and body::jsonb ->> 'asset' = ${`agents/${name}`} order by seq`)
  ).map(({ detail }) => detail);

/** Of all mails about the agent, once none waits. */
async function letters({ name }: StoredAgent): Promise<ReceivedLetter[]> {
  await vi.waitFor(
    async () => {
      const open = sql`select 1 from audit_cursor c, audit.head h
        where c.name = 'notifications' and h.chain = 'governance' and c.seq < h.seq
        union all select 1 from job where queue = 'mail' and state = 'queued'`;
      expect(await app.db.all(open)).toEqual([]);
    },
    { timeout: 15_000, interval: 100 },
  );
  return (await smtp.inbox()).filter(({ head }) => head.includes(`[Gantry] agents/${name} waits`));
}
const recipients = (all: ReceivedLetter[]) => all.map(({ to }) => to.join()).toSorted();
const toldOf = async ({ client }: TestUser, { name }: StoredAgent) =>
  (await client.call('notifications.list', { query: { limit: 200 } })).items.filter(
    ({ asset }) => asset === `agents/${name}`,
  );

test('those who may answer are told once, after the minutes of the organisation, and nobody else', async () => {
  const agent = await asker();
  const thread = await ask(agent);
  await pass(4);
  await look();
  expect(await entries(agent)).toEqual([]);
  await pass(2);
  await Promise.all([look(), look(replica)]);
  await pass(60);
  await look();
  expect(await entries(agent)).toMatchObject([{ waiting: 1, threads: [thread], callers: [cal.email] }]);
  // The platform admin has every role.
  expect(recipients(await letters(agent))).toEqual(['admin@gantry.local', cal.email, dora.email]);
  expect(await toldOf(cal, agent)).toMatchObject([{ kind: 'runs_wait', text: 'A run waits for your answer' }]);
  expect([...(await toldOf(otto, agent)), ...(await toldOf(owner, agent))]).toEqual([]);
});

test('the mail has the agent, the thread and the way to sign in, and no word of the question', async () => {
  const agent = await asker([`user:${otto.email}`, `user:${dora.email}`]);
  const thread = await ask(agent);
  await pass(6);
  await look();
  const all = await letters(agent);
  // The agent is hidden from otto, whatever its file says.
  expect(recipients(all)).toEqual([cal.email, dora.email]);
  for (const { body } of all) {
    expect(body).toContain(thread);
    expect(body).toContain('https://gantry.example.com/inbox');
    expect(body).not.toContain('really?');
  }
  expect(all.find(({ to }) => to.includes(dora.email))?.body).toContain(`of ${cal.email}`);
});

test('a question that is answered before the mail goes out is told to nobody', async () => {
  const agent = await asker();
  const soon = await ask(agent);
  await isAnswered(soon);
  await pass(6);
  await look();
  expect(await entries(agent)).toEqual([]);

  await smtp.be('busy', true);
  const late = await ask(agent);
  await pass(6);
  await look();
  expect(await entries(agent)).toHaveLength(1);
  await vi.waitFor(
    async () =>
      expect(
        await app.db.all(
          sql`select 1 from job where queue = 'mail' and state = 'queued' and attempts > 0 and lease_until is null`,
        ),
      ).toHaveLength(3),
    { timeout: 15_000, interval: 100 },
  );
  await isAnswered(late);
  await smtp.be('busy', false);
  await pass(60);
  expect(await letters(agent)).toEqual([]);
});

test('many questions are one mail, later ones wait for the next, and a caller reads only of their own', async () => {
  const agent = await asker();
  const mine = [await ask(agent), await ask(agent)];
  for (let n = 0; n < 30; n++) await ask(agent, owner);
  await pass(6);
  await look();
  const [entry] = await entries(agent);
  expect([entry?.waiting, entry?.threads.length]).toEqual([32, 20]);
  const next = await ask(agent);
  await pass(6);
  await look();
  expect(await entries(agent)).toHaveLength(1);
  const first = await letters(agent);
  expect(recipients(first)).toEqual(['admin@gantry.local', cal.email, dora.email, owner.email]);
  const ofCal = first.find(({ to }) => to.includes(cal.email))?.body ?? '';
  expect(ofCal).toContain('2 runs');
  for (const thread of mine) expect(ofCal).toContain(thread);
  expect(ofCal).not.toContain(owner.email);
  expect(first.find(({ to }) => to.includes(dora.email))?.body).toContain('32 runs');
  await pass(10);
  await look();
  expect((await entries(agent))[1]).toMatchObject({ waiting: 1, threads: [next] });
  expect(recipients(await letters(agent))).toHaveLength(7);
});

test('a process that dies while it tells leaves no trace, and the next look tells of each question once', async () => {
  const agent = await asker();
  await ask(agent);
  await pass(6);
  let outcome: Promise<unknown> = Promise.resolve();
  await app.db.transaction(async (tx) => {
    // The entry waits for the head of the chain, after the threads were marked.
    await tx.run(sql`select from audit.head where chain = 'governance' for update`);
    outcome = look(replica).catch((error: unknown) => error);
    await vi.waitFor(async () => {
      const killed = await app.db.all(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database() and query like '%audit%'`);
      expect(killed.length).toBeGreaterThan(0);
    }, 20_000);
  });
  expect(await outcome).toBeInstanceOf(Error);
  await look();
  await look();
  expect(await entries(agent)).toHaveLength(1);
  expect(recipients(await letters(agent))).toHaveLength(3);
});

test('the next question of a told thread is told too, and nothing is while the organisation wants it so', async () => {
  const agent = await asker();
  const thread = await ask(agent);
  await pass(6);
  await look();
  await isAnswered(thread);
  await app.db.run(sql`
    update thread set waits = '\\x00', waiting_since = date_trunc('milliseconds', clock_now()) where id = ${thread}`);
  await pass(30);
  await app.admin.client.call('org.set', { body: { waiting_runs_told_after_minutes: null } });
  await look();
  expect(await entries(agent)).toHaveLength(1);
  await app.admin.client.call('org.set', { body: { waiting_runs_told_after_minutes: 0 } });
  await look();
  expect(await entries(agent)).toHaveLength(2);
  await app.admin.client.call('org.set', { body: { waiting_runs_told_after_minutes: 5 } });
});
