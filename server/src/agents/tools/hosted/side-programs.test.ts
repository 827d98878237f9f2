// For whom a program runs, and how long. The programs themselves do nothing here.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { testDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import type { ServerConnection, Upstream } from '../upstream/connect.ts';
import { sidePrograms, type ProgramOf, type SidePrograms } from './side-programs.ts';

let database: TestDatabase;
let running: string[];
let programs: SidePrograms;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => await database.close());

const opened = (idle_ms: number) =>
  sidePrograms({
    db: database.db,
    remove: async (id) => {
      running = running.filter((one) => one !== id);
      await Promise.resolve();
    },
    owner: 'the test',
    most: 10,
    idle_ms,
    onError: (error) => {
      throw error;
    },
  });
beforeEach(() => {
  running = [];
  programs = opened(600_000);
});
afterEach(async () => await programs.close());

const rows = async () =>
  (await database.db.all<{ id: string }>(sql`select id from side_container`)).map(({ id }) => id);
const connection = { close: async () => await Promise.resolve() } as ServerConnection; // nothing else is asked of it
const upstream = { ref: 'mcp-servers/side', config: {} } as Upstream;

/** The id of the program that served. */
async function usedBy(of: Pick<ProgramOf, 'share'> & Partial<ProgramOf>): Promise<string> {
  const whom = { server_id: server, version: '1.0.0', image: 'sha256:1', ...someone, ...of };
  let served = '';
  await programs.use({
    of: whom,
    upstream,
    start: async (id) => {
      // Intent comes first: a process that is killed here has left its row.
      expect(await rows()).toContain(id);
      running.push(id);
      return {
        connection: { ...connection, list: async () => await Promise.reject(new Error(id)) },
        whyClosed: () => undefined,
      };
    },
    work: async (on) => {
      served = await on.list(0).then(
        () => '',
        (error: Error) => error.message,
      );
    },
  });
  return served;
}
const server = crypto.randomUUID();
const someone = { agent_id: 'a', revision_id: 'r', caller_id: 'c' };

test('`caller`: the calls of one caller of one agent share a program', async () => {
  const first = await usedBy({ share: 'caller' });
  expect(await usedBy({ share: 'caller', revision_id: 'next' })).toBe(first);
  expect(await usedBy({ share: 'caller', caller_id: 'other' })).not.toBe(first);
  expect(await usedBy({ share: 'caller', agent_id: 'other' })).not.toBe(first);
  expect(await usedBy({ share: 'caller', image: 'sha256:2' })).not.toBe(first);
});

test('`revision`: all callers of one revision share a program', async () => {
  const first = await usedBy({ share: 'revision' });
  expect(await usedBy({ share: 'revision', caller_id: 'other' })).toBe(first);
  expect(await usedBy({ share: 'revision', revision_id: 'next' })).not.toBe(first);
});

test('`call`: each call has its own, which ends with it', async () => {
  const first = await usedBy({ share: 'call' });
  expect(await usedBy({ share: 'call' })).not.toBe(first);
  await expect.poll(rows).toEqual([]);
  expect(running).toEqual([]);
});

test('a program that nobody calls ends, and so does each at the stop', async () => {
  const lasting = await usedBy({ share: 'caller' });
  const idle = opened(1);
  const first = programs;
  programs = idle;
  await usedBy({ share: 'caller', caller_id: 'idle' });
  await expect.poll(() => running).toEqual([lasting]);
  await first.close();
  expect(running).toEqual([]);
  expect(await rows()).toEqual([]);
});
