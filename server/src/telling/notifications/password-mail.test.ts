// Invitations and resets against a mail server by others: the token is only in the received mail.
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { contains, databaseAsText } from '../../testing/database-as-text.ts';
import { smtpServer, type ReceivedLetter, type SmtpServer } from '../../testing/servers/smtp-server.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

const chosen = 'words that ada chose';
let smtp: SmtpServer;
let app: TestApp;
let root: TestUser;
let logged = '';
let made = 0;

beforeAll(async () => {
  smtp = await smtpServer();
  await smtp.start('starttls');
  const url = `smtp://gantry:${encodeURIComponent('a mail/password')}@localhost:${smtp.port}`;
  app = await testApp({
    config: {
      base_url: 'https://gantry.example.com',
      mail: { url, from: 'gantry@example.com', ca_file: smtp.ca_file, plaintext: false },
      // So that a test can use several addresses.
      trusted_proxies: ['127.0.0.1'],
    },
    onLog: (line) => (logged += line),
  });
  root = await app.user('root@example.com', { role: 'admin' });
}, 120_000);
afterAll(async () => {
  await app?.stop();
  await smtp?.close();
});
afterEach(async () => {
  await smtp.be('busy', false);
  await app.moveClock('0');
  // The session may have ended after days.
  root.client = app.as((await login(root.email, root.password)).access_token);
});

const lettersTo = async (email: string) => (await smtp.inbox()).filter(({ to }) => to.includes(email));
const tokenIn = ({ body }: ReceivedLetter) => /gpw_[\w-]+/.exec(body)?.[0] ?? 'none';

/** The newest mail of so many. */
async function letter(email: string, count = 1): Promise<ReceivedLetter> {
  const look = async () => expect(await lettersTo(email)).toHaveLength(count);
  await vi.waitFor(look, { timeout: 15_000, interval: 100 });
  const newest = (await lettersTo(email)).at(-1);
  if (newest === undefined) throw new Error(`no letter to ${email}`);
  return newest;
}

const create = async (more: { one_time_password?: boolean } = {}) =>
  await root.client.call('users.create', { body: { email: `ada-${++made}@example.com`, ...more } });
const reset = async (id: string, by = root) =>
  await by.client.call('users.reset_password', { params: { id }, body: {} });
const setPassword = async (token: string, new_password = chosen, from = `198.51.100.${made % 250}`) =>
  await app.anonymous.call(
    'auth.set_password',
    { body: { token, new_password } },
    { headers: { 'x-forwarded-for': from } },
  );
const login = async (email: string, password: string) =>
  await app.anonymous.call('auth.login', { body: { email, password } });
const update = async (id: string, body: { active: boolean }) =>
  await root.client.call('users.update', { params: { id }, body });
const refused = { code: 'bad_credentials', detail: expect.stringContaining('This token does not work') as string };
const mailStates = async (user_id: string) =>
  (
    await app.db.all<{ state: string }>(
      sql`select j.state from job j join password_token t on j.key = 'password_token ' || t.id where t.user_id = ${user_id} order by t.created_at`,
    )
  ).map(({ state }) => state);

/** An invited user, with their token. */
async function invited() {
  const user = await create();
  return { ...user, token: tokenIn(await letter(user.email)) };
}

test('a new user gets an invitation by mail and nothing is shown; its token sets one password for their sign-in', async () => {
  const before = Date.now();
  const ada = await create();
  expect(ada).not.toHaveProperty('one_time_password');
  const hours = (Date.parse(ada.mail_expires_at ?? '') - before) / 3_600_000;
  expect(Math.round(hours)).toBe(72);
  const shown = async () => await root.client.call('users.show', { params: { id: ada.id } });
  expect(await shown()).toMatchObject({ mail_expires_at: ada.mail_expires_at });
  const mail = await letter(ada.email);
  expect(mail).toMatchObject({ to: [ada.email], from: 'gantry@example.com', tls: true });
  expect(mail.head).toContain('Subject: [Gantry] You are invited');
  expect(mail.body).toContain('root@example.com invites you to Gantry');
  expect(mail.body).toContain('svc password set --server https://gantry.example.com');
  const token = tokenIn(mail);
  expect(mail.body).toContain(`https://gantry.example.com/set-password#${token}`);
  await expect(login(ada.email, chosen)).rejects.toMatchObject({ code: 'bad_credentials' });
  expect(await setPassword(token)).toEqual({ email: ada.email });
  expect(await shown()).toMatchObject({ mail_expires_at: null });
  expect(await login(ada.email, chosen)).toMatchObject({ must_change_password: false });
  await expect(setPassword(token, 'words of somebody else')).rejects.toMatchObject(refused);
  await login(ada.email, chosen);
  const failed = (await root.client.call('audit.list', { query: { action: 'login.failed', limit: 1 } })).items[0];
  expect(failed).toMatchObject({ actor: { name: 'a password token' }, detail: { user: ada.email } });
  const { items } = await root.client.call('audit.list', { query: { action: 'password.changed', limit: 1 } });
  expect(items[0]).toMatchObject({ actor: { name: ada.email }, detail: { user: ada.email, by: 'invitation' } });
});

test('a refused password leaves the token unused', async () => {
  const { token, email } = await invited();
  for (const weak of ['short', 'password1', email])
    await expect(setPassword(token, weak)).rejects.toMatchObject({ code: 'weak_password' });
  expect(await setPassword(token)).toEqual({ email });
});

test('of many uses of a token at one moment, one succeeds', async () => {
  const { token } = await invited();
  const tries = Array.from(
    { length: 6 },
    async (_, n) => await setPassword(token, `${chosen} ${n}`, `192.0.2.${n + 1}`),
  );
  const ended = await Promise.allSettled(tries);
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused });
});

test('a token works for 72 hours', async () => {
  const [first, second] = [await invited(), await invited()];
  await app.moveClock('71 hours');
  expect(await setPassword(first.token)).toEqual({ email: first.email });
  await app.moveClock('73 hours');
  await expect(setPassword(second.token)).rejects.toMatchObject(refused);
});

test('a token works only for its account, and no part of it makes another', async () => {
  const [ada, bob] = [await invited(), await invited()];
  const bytes = (token: string) => Buffer.from(token.slice('gpw_'.length), 'base64url');
  const print = (...parts: Uint8Array[]) => `gpw_${Buffer.concat(parts).toString('base64url')}`;
  const id = bytes(bob.token).subarray(0, 16);
  const mac = (key: Buffer | string) => createHmac('sha256', key).update(id).digest();
  const forged = [
    print(id, bytes(ada.token).subarray(16)),
    print(id, Buffer.alloc(32)),
    print(id, mac(app.secret_key)),
    print(id, mac(app.keys['service-key'])),
    bob.token.slice(0, -1),
    `${bob.token}A`,
    bob.token.slice('gpw_'.length),
    root.token.slice(0, 68),
    bob.id,
  ];
  for (const token of forged) await expect(setPassword(token)).rejects.toMatchObject(refused);
  expect(await setPassword(ada.token)).toEqual({ email: ada.email });
  await expect(login(bob.email, chosen)).rejects.toMatchObject({ code: 'bad_credentials' });
  // Nor does it work elsewhere.
  const { status } = await fetch(`${app.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${bob.token}` } });
  expect(status).toBe(401);
  await expect(app.anonymous.call('auth.exchange_key', { body: { key: bob.token } })).rejects.toMatchObject({
    code: 'bad_credentials',
  });
  expect(await setPassword(bob.token)).toEqual({ email: bob.email });
});

test('a second invitation can be sent, and the first one no longer works', async () => {
  const { id, email, token } = await invited();
  await reset(id);
  const again = await letter(email, 2);
  expect(again.head).toContain('Subject: [Gantry] You are invited');
  await expect(setPassword(token)).rejects.toMatchObject(refused);
  expect(await setPassword(tokenIn(again))).toEqual({ email });
  await reset(id);
  expect((await letter(email, 3)).head).toContain('Subject: [Gantry] Choose a new password');
});

test('a disabled or removed user cannot use a mailed token, not even once enabled again', async () => {
  const [disabled, removed] = [await invited(), await invited()];
  await update(disabled.id, { active: false });
  await expect(setPassword(disabled.token)).rejects.toMatchObject(refused);
  await update(disabled.id, { active: true });
  await expect(setPassword(disabled.token)).rejects.toMatchObject(refused);
  await reset(disabled.id);
  expect(await setPassword(tokenIn(await letter(disabled.email, 2)))).toEqual({ email: disabled.email });
  await root.client.call('users.remove', { params: { id: removed.id }, query: {} });
  await expect(setPassword(removed.token)).rejects.toMatchObject(refused);
});

test('an invitation that ends before its mail is not sent', async () => {
  await smtp.be('busy', true);
  const ada = await create();
  const look = async () => expect(await mailStates(ada.id)).toEqual(['queued']);
  await vi.waitFor(look, { timeout: 15_000, interval: 100 });
  await reset(ada.id);
  await smtp.be('busy', false);
  await app.moveClock('5 minutes');
  const mail = await letter(ada.email);
  await vi.waitFor(async () => expect(await mailStates(ada.id)).toEqual(['dropped', 'done']), { timeout: 15_000 });
  expect(await lettersTo(ada.email)).toHaveLength(1);
  expect(await setPassword(tokenIn(mail))).toEqual({ email: ada.email });
});

test('guesses stop after a hundred from one address, even with the right token, and continue elsewhere and later', async () => {
  const { token, email } = await invited();
  const from = '203.0.113.7';
  for (let n = 0; n < 100; n++)
    await expect(setPassword(`gpw_${'A'.repeat(64)}`, chosen, from)).rejects.toMatchObject(refused);
  await expect(setPassword(token, chosen, from)).rejects.toMatchObject({ code: 'rate_limited' });
  await app.moveClock('16 minutes');
  expect(await setPassword(token, chosen, from)).toEqual({ email });
  const other = await invited();
  expect(await setPassword(other.token, chosen, '203.0.113.77')).toEqual({ email: other.email });
});

test('a reset ends every session and the password at once, and mails a token for a new one', async () => {
  const ada = await app.user(`ada-${++made}@example.com`);
  const { id } = await ada.client.call('auth.me', {});
  const second = app.as((await login(ada.email, ada.password)).access_token);
  await second.call('auth.me', {});
  const answer = await reset(id);
  expect(answer).toMatchObject({ email: ada.email, must_change_password: true });
  expect(answer).not.toHaveProperty('one_time_password');
  for (const client of [ada.client, second])
    await expect(client.call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(login(ada.email, ada.password)).rejects.toMatchObject({ code: 'bad_credentials' });
  const mail = await letter(ada.email);
  expect(mail.head).toContain('Subject: [Gantry] Choose a new password');
  expect(mail.body).toContain('root@example.com reset your password');
  expect(await setPassword(tokenIn(mail))).toEqual({ email: ada.email });
  expect(await login(ada.email, chosen)).toMatchObject({ must_change_password: false });
  const { items } = await root.client.call('audit.list', { query: { action: 'password.reset', limit: 1 } });
  expect(items[0]).toMatchObject({ actor: { name: root.email }, detail: { user: ada.email, sessions_ended: 2 } });
});

test('an admin may ask for a one-time password although mail is set up, and then no mail is sent', async () => {
  const ada = await create({ one_time_password: true });
  expect(ada.mail_expires_at).toBeNull();
  expect(await login(ada.email, ada.one_time_password ?? '')).toMatchObject({ must_change_password: true });
  const bob = await invited();
  const given = await root.client.call('users.reset_password', {
    params: { id: bob.id },
    body: { one_time_password: true },
  });
  await expect(setPassword(bob.token)).rejects.toMatchObject(refused);
  expect(await login(bob.email, given.one_time_password ?? '')).toMatchObject({ must_change_password: true });
  expect(await mailStates(ada.id)).toEqual([]);
  expect(await mailStates(bob.id)).toEqual(['done']);
});

test('only the doctor names a recipient that the mail server refuses, and they get a one-time password instead', async () => {
  const { id, email } = await root.client.call('users.create', { body: { email: 'unknown-ada@example.com' } });
  await vi.waitFor(async () => expect(await mailStates(id)).toEqual(['failed']), { timeout: 15_000, interval: 100 });
  const findings = await root.client.call('service.doctor', {});
  expect(findings.find(({ part }) => part === 'mail')).toMatchObject({ verdict: 'warning' });
  const given = await root.client.call('users.reset_password', { params: { id }, body: { one_time_password: true } });
  expect(await login(email, given.one_time_password ?? '')).toMatchObject({ must_change_password: true });
});

test('the token is in no table, no entry and no line of the log, before its use and after', async () => {
  const { token, email, id } = await invited();
  const look = async () => {
    const texts = new Map([['log', logged], ...(await databaseAsText(app.db))]);
    const foundIn = (word: string) => [...texts].filter(([, text]) => contains(text, word)).map(([where]) => where);
    // Proof that a search finds text: the id of the account.
    expect(foundIn(id)).toEqual(expect.arrayContaining(['public.app_user', 'public.password_token']));
    expect(foundIn('/api/v1/users')).toContain('log');
    const secret = Buffer.from(token.slice('gpw_'.length), 'base64url').subarray(16);
    for (const word of [token, token.slice(-40), secret.toString('hex'), chosen])
      expect([word, foundIn(word)]).toEqual([word, []]);
  };
  await look();
  expect(await setPassword(token)).toEqual({ email });
  await look();
});

test('without local sign-in nobody gets a password', async () => {
  const { token, id } = await invited();
  await app.governed(sql`update org set auth_provider = 'saml' returning id`);
  const expected = { code: 'conflict', detail: 'Sign-in is by saml, not by password.' };
  await expect(create()).rejects.toMatchObject(expected);
  await expect(reset(id)).rejects.toMatchObject(expected);
  await expect(setPassword(token)).rejects.toMatchObject(expected);
  await app.governed(sql`update org set auth_provider = 'local' returning id`);
  await setPassword(token);
});
