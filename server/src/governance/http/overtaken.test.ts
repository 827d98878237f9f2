// A user creates something in a team that another user deletes at the same moment. Both operations were allowed at their start.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { sql } from '../../ground/database/sql.ts';
import { inQueue } from '../../testing/in-queue.ts';
import { testApp, type TestApp } from '../../testing/test-app.ts';

let app: TestApp;
const lines: string[] = [];
let made = 0;

beforeAll(async () => {
  app = await testApp({ onLog: (line) => lines.push(line) });
  await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  await app.admin.client.call('registry.create', { params, body: { name: 'wanderer', team: 'ml' } });
});
afterAll(async () => await app?.stop());

/** Deletes the team while `making` waits for it. */
async function whileDeleting(team: string, making: (team: string) => Promise<unknown>): Promise<unknown> {
  const [deleted, made] = await inQueue<unknown>(
    app.db,
    sql`select from team where name = ${team} for update`,
    async () => await app.admin.client.call('teams.delete', { params: { team } }),
    async () => await making(team),
  );
  expect(deleted?.status).toBe('fulfilled');
  return made?.status === 'rejected' ? made.reason : made;
}

const params = { kind: 'tool' } as const;
const conflict = {
  status: 409,
  code: 'conflict',
  detail: expect.stringContaining('has just been removed'),
  hint: 'Check the current state, then try again.',
};
const making: [what: string, refused: object, make: (admin: Client, team: string) => Promise<unknown>][] = [
  [
    'a group',
    conflict,
    async (admin, team) => await admin.call('groups.create', { body: { name: `${team}-oncall`, team } }),
  ],
  [
    'an asset',
    conflict,
    async (admin, team) => await admin.call('registry.create', { params, body: { name: `${team}-tool`, team } }),
  ],
  [
    'a membership',
    conflict,
    async (admin, team) =>
      await admin.call('teams.add_member', { params: { team }, body: { principal: 'user:ada@example.com' } }),
  ],
  [
    'a service principal',
    { code: 'not_found' },
    async (admin, team) => await admin.call('principals.create', { body: { name: `${team}-ci`, team } }),
  ],
  [
    'an asset that is transferred',
    { code: 'invalid', detail: 'The team of this entry was removed at this moment.' },
    async (admin, team) =>
      await admin.call('registry.transfer', { params: { ...params, name: 'wanderer' }, body: { team } }),
  ],
];

test.each(making)(
  '%s in a team that is deleted at this moment is refused, and is not a bug',
  async (_, refused, make) => {
    const { client } = app.admin;
    const [team, neighbour] = [`team-${++made}`, `team-${made}-neighbour`];
    for (const name of [team, neighbour]) await client.call('teams.create', { body: { name } });
    const before = await newest();
    const told = lines.length;
    expect(await whileDeleting(team, async () => await make(client, team))).toMatchObject(refused);
    const events = sql`
    select event from audit.entry where chain = 'governance' and seq > ${before} and event <> 'audit.heartbeat'`;
    expect((await app.db.all<{ event: string }>(events)).map(({ event }) => event)).toEqual(['team.deleted']);
    // A reference to a row that never existed is refused in the same way; the log distinguishes them.
    const noted = lines.slice(told).filter((line) => line.includes('23503') && line.includes('was removed meanwhile'));
    expect(noted).toHaveLength(refused === conflict ? 1 : 0);
    // Without the deletion the same request succeeds.
    await make(client, neighbour);
  },
);

const newest = async () =>
  (await app.db.one<{ seq: number }>(sql`select max(seq) as seq from audit.entry where chain = 'governance'`))?.seq;
