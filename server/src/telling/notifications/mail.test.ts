// Against a mail server by others. The queue is read every half second; the database's clock makes waits of minutes and hours.
import { readFile } from 'node:fs/promises';
import { mail_days, notification_days } from '@gantry/contract/telling/notifications.ts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { passwordTokens } from '../../people/login/password-token.ts';
import { startQueues } from '../../ground/queue/work.ts';
import { smtpServer, type ReceivedLetter, type SmtpServer } from '../../testing/servers/smtp-server.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { alertBudgets } from './alert-budgets.ts';
import { mailing } from './send-mail.ts';

const password = 'a mail/password';
let smtp: SmtpServer;
let app: TestApp;
let ada: TestUser;
let made = 0;

beforeAll(async () => {
  smtp = await smtpServer();
  await smtp.start('starttls');
  const url = `smtp://gantry:${encodeURIComponent(password)}@localhost:${smtp.port}`;
  app = await testApp({
    config: {
      base_url: 'https://gantry.example.com',
      mail: { url, from: 'gantry@example.com', ca_file: smtp.ca_file, plaintext: false },
    },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  await app.user('max@example.com', { teams: { ml: 'admin' } });
}, 120_000);
afterAll(async () => {
  await app?.stop();
  await smtp?.close();
});
afterEach(async () => await smtp.be('busy', false));

async function submitted(message = 'please') {
  const agent = await storeAgent(app, ada.email, { name: `agent-${++made}` });
  const { id } = await ada.client.call('approvals.submit', { body: { asset: agent.ref, message } });
  return { id, ref: agent.ref };
}

const about = async (ref: string) => (await smtp.inbox()).filter(({ head }) => head.includes(`[Gantry] ${ref}`));
const recipients = (letters: ReceivedLetter[]) => letters.map(({ to }) => to.join()).toSorted();
const mails = async (approval_id: string) =>
  await app.db.all<{ email: string; state: string; tried: number; problem: string | null }>(sql`
    select u.email, j.state, case when j.lease_until is null then j.attempts else 0 end as tried, j.problem
    from job j join notification n on j.key = 'notification ' || n.id join app_user u on u.id = n.user_id
    where n.approval_id = ${approval_id} order by u.email, n.seq`);

/** Waits until every mail about the request is as expected. */
async function settle(approval_id: string, states: string[]): Promise<void> {
  const look = async () => expect((await mails(approval_id)).map(({ state }) => state)).toEqual(states);
  await vi.waitFor(look, { timeout: 15_000, interval: 100 });
}

/** Waits until each mail about the request has had this number of failed attempts. */
async function tried(approval_id: string, times: number): Promise<void> {
  const look = async () => expect((await mails(approval_id)).map((mail) => mail.tried)).toEqual([times, times]);
  await vi.waitFor(look, { timeout: 15_000, interval: 100 });
}

async function mailFinding(admin = app.admin.client) {
  const findings = await admin.call('service.doctor', {});
  return findings.find(({ part }) => part === 'mail');
}

test('a request is mailed to each admin once, over TLS, and the decision to the submitter once', async () => {
  const { id, ref } = await submitted('please look');
  await settle(id, ['done', 'done']);
  const asked = await about(ref);
  expect(recipients(asked)).toEqual(['admin@gantry.local', 'max@example.com']);
  for (const letter of asked) {
    expect(letter).toMatchObject({ tls: true, user: 'gantry', from: 'gantry@example.com' });
    expect(letter.head).toContain(`Subject: [Gantry] ${ref} waits for your approval`);
    expect(letter.body).toContain('> please look');
    expect(letter.body).toContain(`svc review show ${id}`);
    expect(letter.body).toContain(`https://gantry.example.com/approvals/${id}`);
  }
  await app.admin.client.call('approvals.reject', { params: { id }, body: { reason: 'too wide' } });
  await settle(id, ['done', 'done', 'done']);
  const [decided, ...more] = (await about(ref)).slice(asked.length);
  expect(more).toEqual([]);
  expect(decided?.to).toEqual(['ada@example.com']);
  expect(decided?.body).toContain('admin@gantry.local rejected');
  expect(decided?.body).toContain('> too wide');
});

test('a budget near its end is mailed once to each admin of the team', async () => {
  await app.admin.client.call('budgets.set', {
    body: { scope: 'team', scope_id: 'ml', limits: { monthly_usd: '10' } },
  });
  await app.db.run(sql`
    insert into account (id, day, month_spent) select id, (clock_now() at time zone 'UTC')::date, 8250000000 from team where name = 'ml'
    on conflict (id) do update set day = excluded.day, month_spent = excluded.month_spent`);
  await alertBudgets(app.db, { onError: () => expect.unreachable() });
  const look = async () => expect(await about('team:ml')).toHaveLength(1);
  await vi.waitFor(look, { timeout: 15_000, interval: 100 });
  const [letter] = await about('team:ml');
  expect(letter?.to).toEqual(['max@example.com']);
  expect(letter?.head).toContain('team:ml: 82 % of $10.00 per month is spent');
  expect(letter?.body).toContain('svc team budget show ml');
});

test('a mail has the configured address, for every host of the request', async () => {
  const agent = await storeAgent(app, ada.email, { name: `agent-${++made}` });
  const answer = await fetch(`${app.url}/api/v1/rbac/approvals`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ada.token}`,
      'content-type': 'application/json',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    },
    body: JSON.stringify({ asset: agent.ref }),
  });
  expect(answer.status).toBe(201);
  const { data } = (await answer.json()) as { data: { id: string } };
  await settle(data.id, ['done', 'done']);
  const [letter] = await about(agent.ref);
  expect(letter?.body).toContain('The service: https://gantry.example.com');
  expect(JSON.stringify(letter)).not.toContain('evil');
});

test('text from a person makes no header, no recipient and no line of the service', async () => {
  const { id, ref } = await submitted(
    'fine\r\nBcc: eve@example.com\nThe service: https://evil.example\u2028Reply-To: eve',
  );
  await settle(id, ['done', 'done']);
  for (const { to, head, body } of await about(ref)) {
    expect(to).toHaveLength(1);
    expect(head).not.toContain('eve');
    expect(body).toContain('> Bcc: eve@example.com');
    expect(body).not.toMatch(/^(Bcc|The service: https:\/\/evil|Reply-To)/m);
  }
});

test.each([
  'ada@example.com\r\nRCPT TO:<eve@example.com>',
  'ada@example.com,eve@example.com',
  'friends:ada@example.com,eve@example.com;',
  'Ada <ada@example.com>',
  '"a b"@example.com',
  'ada@example.com\u0000',
])('%j is not a valid e-mail address of a user', async (email) => {
  await expect(app.admin.client.call('users.create', { body: { email } })).rejects.toMatchObject({ code: 'invalid' });
});

test('a name with several lines and addresses reaches no other recipient', async () => {
  const name = 'Max\nBcc: eve@example.com, friends:eve@example.com;';
  const { email } = await app.admin.client.call('users.create', { body: { email: 'mia@example.com', name } });
  await app.admin.client.call('teams.add_member', {
    params: { team: 'ml' },
    body: { principal: `user:${email}`, role: 'admin' },
  });
  const { id, ref } = await submitted();
  await settle(id, ['done', 'done', 'done']);
  const letters = await about(ref);
  expect(recipients(letters)).toEqual(['admin@gantry.local', 'max@example.com', 'mia@example.com']);
  expect(JSON.stringify(letters)).not.toContain('eve');
  await app.admin.client.call('teams.remove_member', { params: { team: 'ml', principal: `user:${email}` } });
});

test('a mail server that removes STARTTLS gets neither password nor mail; once it is back, each mail arrives once', async () => {
  await smtp.start('stripped');
  const { id, ref } = await submitted();
  await tried(id, 1);
  expect((await mails(id))[0]?.problem).toContain('the mail server offers no STARTTLS, so nothing is sent');
  expect(await mailFinding()).toMatchObject({ verdict: 'problem', detail: expect.stringContaining('no STARTTLS') });
  expect(await about(ref)).toEqual([]);
  await smtp.start('starttls');
  await app.moveClock('1 minute');
  await settle(id, ['done', 'done']);
  expect(recipients(await about(ref))).toEqual(['admin@gantry.local', 'max@example.com']);
  expect(await mailFinding()).toMatchObject({ verdict: 'ok', detail: expect.stringContaining('STARTTLS) answers') });
});

test('after a kill of the mail server, each mail arrives once', async () => {
  await smtp.kill();
  const { id, ref } = await submitted();
  await tried(id, 1);
  await smtp.start('starttls');
  await app.moveClock('3 minutes');
  await settle(id, ['done', 'done']);
  expect(recipients(await about(ref))).toEqual(['admin@gantry.local', 'max@example.com']);
});

test('an unknown recipient fails at once and delays nobody', async () => {
  await app.user('unknown@example.com', { teams: { ml: 'admin' } });
  const { id } = await submitted();
  await settle(id, ['done', 'done', 'failed']);
  expect((await mails(id))[2]).toMatchObject({
    tried: 1,
    problem: 'the mail server refuses the sender or the recipient (the server answered 550)',
  });
  await app.governed(sql`update app_user set active = false where email = 'unknown@example.com' returning id`);
});

test('the password of the mail server is in no row, no entry and no finding', async () => {
  const secrets = [password, encodeURIComponent(password), Buffer.from(`\0gantry\0${password}`).toString('base64')];
  const rows = await app.db.all<{ text: string }>(
    sql`select body as text from audit.entry union all select problem from job where problem is not null`,
  );
  const all = JSON.stringify([rows, await mailFinding()]);
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  // Proof that the canary can be found: the mail server received it.
  expect(await readFile(new URL('../../testing/servers/smtp_server.py', import.meta.url), 'utf8')).toContain(password);
});

test('mail to a busy server is retried for a day and no longer', async () => {
  await smtp.be('busy', true);
  const { id, ref } = await submitted();
  await tried(id, 1);
  await app.moveClock('2 hours');
  await tried(id, 2);
  await app.moveClock('26 hours');
  await settle(id, ['failed', 'failed']);
  expect(await about(ref)).toEqual([]);
  // The sessions have ended after a day, too.
  const { email, password: own } = app.admin;
  const { access_token } = await app.anonymous.call('auth.login', { body: { email, password: own } });
  expect(await mailFinding(app.as(access_token))).toMatchObject({
    verdict: 'warning',
    detail: expect.stringContaining('3 failed'),
  });
});

test('mail jobs are deleted after a month, notifications after three, and neither before', async () => {
  const { email, password: own } = app.admin;
  const { access_token } = await app.anonymous.call('auth.login', { body: { email, password: own } });
  const agent = await storeAgent(app, ada.email, { name: `agent-${++made}` });
  const { id } = await app.as(access_token).call('approvals.submit', { body: { asset: agent.ref } });
  await settle(id, ['done']);
  const left = async () => [
    (await mails(id)).length,
    (await app.db.all(sql`select 1 from notification where approval_id = ${id}`)).length,
  ];
  for (const [days, expected] of [
    [mail_days - 1, [1, 1]],
    [mail_days + 1, [0, 1]],
    [notification_days - 1, [0, 1]],
    [notification_days + 1, [0, 0]],
  ] as const) {
    await app.moveClock(`${26 + 24 * days} hours`);
    await restarted();
    expect([days, await left()]).toEqual([days, expected]);
  }
});

/** The same as after a restart of the service, until the old rows are deleted. */
async function restarted(): Promise<void> {
  const errors: unknown[] = [];
  const queue = mailing({
    db: app.db,
    catchUp: async () => false,
    password_tokens: passwordTokens(Buffer.alloc(32)),
    mail: undefined,
    base_url: () => app.url,
  });
  const working = await startQueues(app.db, [queue], { alone: false, onError: (error) => errors.push(error) });
  await working.stop();
  expect(errors).toEqual([]);
}
