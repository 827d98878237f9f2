// A member of the former team changes the asset during its transfer. Both operations were allowed at their start.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { inQueue } from '../../../testing/in-queue.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let max: TestUser;
let made = 0;
beforeAll(async () => {
  app = await testApp();
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  await app.user('otto@example.com', { teams: { ops: 'admin' } });
});
afterAll(async () => await app?.stop());

const kind = 'tool';
const config = { type: 'http', url: 'https://example.com/' } as const;
const changes: [string, (name: string) => Promise<unknown>][] = [
  [
    'a wider visibility',
    async (name) =>
      await max.client.call('registry.set_visibility', { params: { kind, name }, body: { visibility: 'org' } }),
  ],
  [
    'another version',
    async (name) =>
      await max.client.call('registry.edit', { params: { kind, name }, body: { version: '2.0.0', config } }),
  ],
  [
    'an entry',
    async (name) =>
      await max.client.call('permissions.grant', {
        body: { resource_type: kind, resource_id: name, principal_type: 'org', actions: ['read'] },
      }),
  ],
];

test.each(changes)('%s is refused after the transfer, and done before it', async (_, make) => {
  const create = async () => {
    const name = `tool-${++made}`;
    await app.admin.client.call('registry.create', {
      params: { kind },
      body: { name, team: 'ml', visibility: 'private', config, version: '1.0.0' },
    });
    await app.admin.client.call('permissions.grant', {
      body: {
        resource_type: kind,
        resource_id: name,
        principal_type: 'team',
        principal_id: 'ml',
        actions: ['read', 'write', 'admin'],
      },
    });
    return name;
  };
  await make(await create());
  const name = await create();
  const [transferred, changed] = await inQueue<unknown>(
    app.db,
    sql`select from asset where name = ${name} for update`,
    async () =>
      await app.admin.client.call('registry.transfer', {
        params: { kind, name },
        body: { team: 'ops', owner: 'otto@example.com' },
      }),
    async () => await make(name),
  );
  expect(transferred?.status).toBe('fulfilled');
  expect(changed).toMatchObject({ reason: { status: expect.toBeOneOf([403, 404]) as number } });
});
