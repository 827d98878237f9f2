import { afterAll, beforeAll, expect, test } from 'vitest';
import { Disconnected } from '../../ground/database/database.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { append } from './append.ts';
import { follow, startFollowing } from './follow.ts';

let at: TestDatabase;

beforeAll(async () => {
  at = await testDatabase();
});
afterAll(async () => await at?.close());

async function add(event: 'team.created' | 'user.created'): Promise<void> {
  const actor = { kind: 'user', id: null, name: 'ada@example.com' };
  const about = { team: null, asset: null, ip: null, request_id: null, detail: {} };
  await at.db.transaction(async (tx) => await append(tx, { event, outcome: 'done', actor, ...about }, []));
}

test('each entry after a cursor is processed once, in order, with any number of followers, and again after a failure', async () => {
  await add('team.created');
  await startFollowing(at.db, 'one', 'governance');
  for (let n = 0; n < 20; n++) await add('team.created');
  const dealt: number[] = [];
  let failures = 3;
  const followOn = async () => {
    const next = async () =>
      await follow(at.db, { cursor: 'one', limit: 1 }, async (tx, entries) => {
        await tx.one({ strings: ['select 1'], values: [] });
        if (failures-- > 0) throw new Error('not yet');
        dealt.push(...entries.map(({ seq }) => seq));
      }).catch(() => true);
    while (await next());
  };
  await Promise.all(Array.from({ length: 4 }, followOn));
  expect(failures).toBeLessThan(0);
  expect(dealt).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
});

test('an entry that fails alone is reported once, and stops no later one; a database that is away passes over none', async () => {
  await startFollowing(at.db, 'three', 'governance');
  for (let n = 0; n < 9; n++) await add(n === 4 ? 'user.created' : 'team.created');
  const [dealt, refused]: [string[], string[]] = [[], []];
  let isAway = true;
  const follower = { cursor: 'three', limit: 500, onRefused: ({ event }: { event: string }) => refused.push(event) };
  const next = async () =>
    await follow(at.db, follower, async (tx, entries) => {
      if (isAway) throw new Disconnected('no answer');
      const refuses = entries.some(({ event }) => event === 'user.created');
      await tx.one({ strings: [`select 1 / ${refuses ? 0 : 1}`], values: [] });
      dealt.push(...entries.map(({ event }) => event));
    });
  await expect(next()).rejects.toThrow(Disconnected);
  isAway = false;
  while (await next());
  expect([dealt, refused]).toEqual([Array(8).fill('team.created'), ['user.created']]);
});

test('filtered entries are skipped, and entries left for later stay', async () => {
  await startFollowing(at.db, 'two', 'governance');
  for (const event of ['user.created', 'team.created', 'user.created'] as const) await add(event);
  const events: string[] = [];
  const follower = { cursor: 'two', filter: { events: ['team.*'] }, limit: 1 };
  const deal = async (answer: boolean) =>
    await follow(at.db, follower, async (_, entries) => {
      events.push(...entries.map(({ event }) => event));
      return await Promise.resolve(answer);
    });
  expect(await deal(false)).toBe(false);
  expect(events).toEqual(['team.created']);
  expect(await deal(true)).toBe(true);
  expect(await deal(true)).toBe(false);
  expect(events).toEqual(['team.created', 'team.created']);
  let asked = false;
  expect(await follow(at.db, follower, async () => void (await Promise.resolve((asked = true))))).toBe(false);
  expect(asked).toBe(false);
});
