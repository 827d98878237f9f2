import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../database/sql.ts';
import { testApp, type TestApp } from '../testing/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(async () => await app?.stop());

test('while slow statements hold every other connection, requests that need only copies are answered', async () => {
  const check = async () =>
    await app.admin.client.call('permissions.check', {
      query: { resource_type: 'agent', resource_id: 'none', action: 'read' },
    });
  const changes = Array.from({ length: 17 }, (_, n) => n);
  const create = async (n: number) => await app.admin.client.call('teams.create', { body: { name: `team-${n}` } });
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
