import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../database/sql.ts';
import { testApp, type TestApp } from '../../testing/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(async () => await app?.stop());

test('while slow statements hold every other connection, requests that need only copies are answered', async () => {
  const check = async ({ client } = app.admin) =>
    await client.call('permissions.check', {
      query: { resource_type: 'agent', resource_id: 'none', action: 'read' },
    });
  // Each works on two requests at a time.
  const admins = Array.from({ length: 9 }, (_, n) => `admin-${n}@example.com`);
  const users = await Promise.all(admins.map(async (email) => await app.user(email, { role: 'admin' })));
  // From its first request on, a credential counts for its user.
  await Promise.all(users.map(check));
  const changes = users.flatMap(({ client }, n) => [0, 1].map((m) => ({ client, name: `team-${n}-${m}` })));
  const create = async ({ client, name }: (typeof changes)[number]) =>
    await client.call('teams.create', { body: { name } });
  const waiting = sql`select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const { creating } = await app.db.transaction(async (tx) => {
    await tx.all(sql`select from audit.head for update`);
    const creating = Promise.all(changes.map(create));
    await expect.poll(async () => await app.db.one(waiting), { timeout: 10_000 }).toEqual({ count: 16 });
    expect(await check()).toMatchObject({ allowed: false });
    return { creating };
  });
  expect(await creating).toHaveLength(changes.length);
});
