// Without mail. notifications/password-mail.test.ts tests the mails.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { inQueue } from '../../testing/in-queue.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let root: TestUser;
let made = 0;
beforeAll(async () => {
  app = await testApp();
  root = await app.user('root@example.com', { role: 'admin' });
});
afterAll(async () => await app?.stop());

const person = async () => await app.user(`person-${++made}@example.com`);
const idOf = async ({ client }: TestUser) => (await client.call('auth.me', {})).id;
const reset = async (id: string, by = root, headers: Record<string, string> = {}) =>
  await by.client.call('users.reset_password', { params: { id }, body: {} }, { headers });
const login = async (email: string, password: string) =>
  await app.anonymous.call('auth.login', { body: { email, password } });

test('a reset returns a one-time password, which must be changed first, and ends every session at once', async () => {
  const ada = await person();
  const id = await idOf(ada);
  const { one_time_password = '', mail_expires_at } = await reset(id);
  expect(mail_expires_at).toBeNull();
  await expect(ada.client.call('auth.me', {})).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(login(ada.email, ada.password)).rejects.toMatchObject({ code: 'bad_credentials' });
  const { access_token, must_change_password } = await login(ada.email, one_time_password);
  expect(must_change_password).toBe(true);
  await app.as(access_token).call('auth.change_password', {
    body: { old_password: one_time_password, new_password: 'words of her own' },
  });
  expect(await login(ada.email, 'words of her own')).toMatchObject({ must_change_password: false });
  const [entry] = await app.db.all<{ body: string }>(
    sql`select body from audit.entry where event = 'password.reset' order by seq desc limit 1`,
  );
  expect(JSON.parse(entry?.body ?? '')).toMatchObject({
    actor: { name: root.email },
    detail: { user: ada.email, sessions_ended: 1 },
  });
  expect(entry?.body).not.toContain(one_time_password);
});

test('a repeated reset with the same key is done once, and its answer shows no password again', async () => {
  const ada = await person();
  const id = await idOf(ada);
  const headers = { 'idempotency-key': `reset-${++made}` };
  const { one_time_password = '', ...first } = await reset(id, root, headers);
  const second = await reset(id, root, headers);
  expect(second).toEqual(first);
  await login(ada.email, one_time_password);
});

test('an admin cannot reset their own password, nor that of a disabled, removed or unknown user', async () => {
  await expect(reset(await idOf(root))).rejects.toMatchObject({
    code: 'conflict',
    hint: expect.stringContaining('svc password change') as string,
  });
  await root.client.call('auth.me', {});
  const ada = await person();
  const id = await idOf(ada);
  await root.client.call('users.update', { params: { id }, body: { active: false } });
  await expect(reset(id)).rejects.toMatchObject({ code: 'conflict', detail: `${ada.email} is disabled.` });
  await root.client.call('users.update', { params: { id }, body: { active: true } });
  await login(ada.email, ada.password);
  await root.client.call('users.remove', { params: { id }, query: {} });
  for (const gone of [id, '00000000-0000-4000-8000-000000000000'])
    await expect(reset(gone)).rejects.toMatchObject({ code: 'not_found' });
});

test('when two admins reset each other at one moment, one stays signed in', async () => {
  for (let round = 0; round < 5; round++) {
    const pair = [
      await app.user(`one-${++made}@example.com`, { role: 'admin' }),
      await app.user(`two-${made}@example.com`, { role: 'admin' }),
    ] as const;
    const [one, two] = [await idOf(pair[0]), await idOf(pair[1])];
    const ended = await Promise.allSettled([reset(two, pair[0]), reset(one, pair[1])]);
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'unauthenticated' } });
    const left = ended[0].status === 'fulfilled' ? pair[0] : pair[1];
    await left.client.call('users.list', {});
  }
});

test('an admin who is demoted at this moment cannot reset', async () => {
  const max = await app.user(`max-${++made}@example.com`, { role: 'admin' });
  const ada = await person();
  const [of_max, of_ada] = [await idOf(max), await idOf(ada)];
  const [demoted, resetting] = await inQueue<unknown>(
    app.db,
    // Only Max's row. A reset locks both accounts in the order of their ids, and would wait for ada's outside of this queue.
    sql`select from app_user where id = ${of_max} for no key update`,
    async () => await root.client.call('users.update', { params: { id: of_max }, body: { role: 'viewer' } }),
    async () => await reset(of_ada, max),
  );
  expect(demoted?.status).toBe('fulfilled');
  expect(resetting).toMatchObject({ reason: { code: 'forbidden' } });
  await login(ada.email, ada.password);
});

test('an admin whose password was reset keeps their role, and the documented password never comes back', async () => {
  const id = await idOf(app.admin);
  const { one_time_password = '' } = await reset(id);
  const { access_token } = await login(app.admin.email, one_time_password);
  expect((await app.as(access_token).call('users.list', {})).items.length).toBeGreaterThan(1);
  await expect(login(app.admin.email, 'gantry-admin')).rejects.toMatchObject({ code: 'bad_credentials' });
});
