// Sign-ins and refusals have their own chain. A flood or a delay of that chain delays no governed change.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let max: TestUser;

beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
});
afterAll(async () => await app?.stop());

const submitted = async (name: string): Promise<string> => {
  const { ref } = await storeAgent(app, ada.email, { name });
  return (await ada.client.call('approvals.submit', { body: { asset: ref } })).id;
};
const failedLogin = async (email: string) =>
  await app.anonymous.call('auth.login', { body: { email, password: 'wrong' } }).catch((error: Error) => error);

test('an approval succeeds while the chain of sign-ins is locked and failed logins wait for it', async () => {
  const id = await submitted('while-it-stands');
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  // Like a very slow sign-in: it locks the chain and does not commit.
  const holding = app.db.transaction(async (tx) => {
    await tx.run(sql`select 1 from audit.head where chain = 'signin' for update`);
    held.resolve();
    await release.promise;
  });
  await held.promise;
  let answered = 0;
  const flood = Array.from({ length: 8 }, async (_, n) => {
    await failedLogin(`flood-${n}@example.com`);
    answered++;
  });
  const waiting = sql`select count(*) as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(async () => (await app.db.one<{ n: number }>(waiting))?.n).toBeGreaterThan(0);
  expect(await max.client.call('approvals.approve', { params: { id }, body: {} })).toMatchObject({
    status: 'approved',
  });
  expect(answered).toBe(0);
  release.resolve();
  await Promise.all([holding, ...flood]);
  expect(answered).toBe(8);
});

test('a flood of failed logins is slowed and recorded, and delays no approval', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, async (_, n) => await submitted(`in-the-flood-${n}`)));
  let over = false;
  let tried = 0;
  const flood = Array.from({ length: 16 }, async (_, n) => {
    while (!over) {
      await failedLogin(`victim-${n}@example.com`);
      tried++;
    }
  });
  for (const id of ids) await max.client.call('approvals.approve', { params: { id }, body: {} });
  over = true;
  await Promise.all(flood);
  const entries = await app.db.all<{ name: string }>(
    sql`select actor as name from audit.entry where event = 'login.failed' and actor like 'victim-%'`,
  );
  expect(tried).toBeGreaterThan(0);
  expect(entries.length).toBeGreaterThan(0);
  const decided = await max.client.call('audit.list', { query: { action: 'approval.decided', limit: 5 } });
  expect(new Set(decided.items.map(({ asset }) => asset))).toEqual(
    new Set(ids.map((_, n) => `agents/in-the-flood-${n}`)),
  );
});
