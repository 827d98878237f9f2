import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Origin } from '../../governance/access/caller.ts';
import { deriveKey } from '../../ground/derive-key.ts';
import { sql } from '../../ground/database/sql.ts';
import { places } from '../../ground/places-of-files.ts';
import { testApp, type TestApp } from '../../testing/test-app.ts';
import { enterWith } from './enter-with.ts';
import type { ProvenIdentity } from './providers/provider.ts';
import { tokens } from './token.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(async () => await app?.stop());

// The name of a provider that a later version has.
const elsewhere = 'elsewhere' as 'local';
const origin: Origin = { ip: '127.0.0.1', request_id: randomUUID(), receipts: [] };

const enter = async (identity: ProvenIdentity) =>
  await enterWith(
    { db: app.db, tokens: tokens(deriveKey(app.secret_key, 'access-token')), waitingKeys: async () => [] },
    identity,
    { way: 'bearer', origin },
  );
const idOf = async (email: string) =>
  (await app.db.one<{ id: string }>(sql`select id from app_user where email = ${email}`))?.id ?? '';

test('an identity of another provider opens a session of its user, until the user is disabled', async () => {
  const { email } = await app.user('ada@example.com');
  const id = await idOf(email);
  await app.governed(
    sql`insert into user_identity (provider, subject, user_id) values (${elsewhere}, 'ada-7', ${id}) returning id`,
  );
  const entered = await enter({ provider: elsewhere, subject: 'ada-7' });
  expect(await app.as(entered?.access_token ?? '').call('auth.me', {})).toMatchObject({ email });
  const [entry] = await app.db.all<{ detail: object; actor: string }>(
    sql`select body::json -> 'detail' as detail, actor from audit.entry where event = 'login.succeeded' order by seq desc limit 1`,
  );
  expect(entry).toEqual({ detail: { provider: elsewhere }, actor: email });

  expect(await enter({ provider: elsewhere, subject: 'bea-8' })).toBeUndefined();
  expect(await enter({ provider: 'local', subject: 'ada-7' })).toBeUndefined();
  await app.governed(sql`update app_user set active = false where id = ${id} returning id`);
  expect(await enter({ provider: elsewhere, subject: 'ada-7' })).toBeUndefined();
});

test('a proof by password opens no session after the password has changed', async () => {
  const { email } = await app.user('cy@example.com');
  const subject = await idOf(email);
  const [row] = await app.db.all<{ password_hash: string }>(
    sql`select password_hash from app_user where id = ${subject}`,
  );
  const identity: ProvenIdentity = { provider: 'local', subject, password_hash: row?.password_hash ?? '' };
  expect(await enter(identity)).toMatchObject({ token_type: 'bearer' });
  await app.governed(sql`update app_user set password_hash = 'another' where id = ${subject} returning id`);
  expect(await enter(identity)).toBeUndefined();
});

test('a created user has a local identity, and a removed user has none', async () => {
  const body = { email: 'dan@example.com', role: 'viewer' as const, one_time_password: true };
  const made = await app.admin.client.call('users.create', { body });
  const identities = async () =>
    await app.db.all(sql`select provider, subject from user_identity where user_id = ${made.id}`);
  expect(await identities()).toEqual([{ provider: 'local', subject: made.id }]);
  const password = made.one_time_password ?? '';
  await app.anonymous.call('auth.login', { body: { email: 'dan@example.com', password } });
  await app.admin.client.call('users.remove', { params: { id: made.id }, query: {} });
  expect(await identities()).toEqual([]);
});

test('the migration gives an identity to each user from before it, and to no removed one', async () => {
  const { email } = await app.user('eve@example.com');
  const gone = await app.user('gone@example.com');
  await app.governed(
    sql`update app_user set active = false, removed_at = clock_now() where email = ${gone.email} returning id`,
  );
  const [eve, removed] = [await idOf(email), await idOf(gone.email)];
  await app.governed(sql`delete from user_identity where user_id in (${eve}, ${removed}) returning id`);
  const text = await readFile(join(places.migrations, '210-user-identities.sql'), 'utf8');
  const fill = /^insert into user_identity [^;]*(?=;)/m.exec(text)?.[0] ?? '';
  await app.governed({ strings: [`${fill} on conflict do nothing returning id`], values: [] });
  expect(
    await app.db.all(sql`select provider, subject, user_id from user_identity where user_id in (${eve}, ${removed})`),
  ).toEqual([{ provider: 'local', subject: eve, user_id: eve }]);
});
