// Reading grants for tests of permissions.
import { randomUUID } from 'node:crypto';
import type { TestApp } from '../test-app.ts';

/** A new user without a team, as `user:<e-mail>`. */
async function freshReader(app: TestApp): Promise<string> {
  return `user:${(await app.user(`reader-${randomUUID()}@example.com`)).email}`;
}

/** A grant to a new user on a team. Returns its id. */
async function freshGrant(app: TestApp, team: string): Promise<string> {
  const body = { right: 'read_costs', principal: await freshReader(app), team } as const;
  return (await app.admin.client.call('grants.create', { body })).id;
}

/** To the actors `fi` and `au` of the route table. */
export async function giveReading(app: TestApp): Promise<void> {
  for (const [actor, right, team] of [
    ['fi', 'read_costs', 'ml'],
    ['au', 'read_audit', null],
  ] as const)
    await app.admin.client.call('grants.create', { body: { right, principal: `user:${actor}@example.com`, team } });
}

/** A request to each endpoint, for the table of routes. */
export function readingGrants(of: () => TestApp) {
  return {
    'grants.list': () => ({}),
    'grants.create': async (_: unknown, look: string) => ({
      body: { right: 'read_costs', principal: await freshReader(of()), team: look === 'org' ? null : 'ml' },
    }),
    'grants.delete': async () => ({ params: { id: await freshGrant(of(), 'ml') } }),
    'grants.explain': () => ({ query: { right: 'read_costs', team: 'ml' } }),
  };
}
