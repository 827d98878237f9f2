import { expect, test } from 'vitest';
import { openDatabase } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { freePort } from '../testing/free-port.ts';
import { asProblem } from './problem-reply.ts';

test('a database that nothing answers for is not available, and what is wrong in a request of ours is a bug', async () => {
  const db = openDatabase({ host: '127.0.0.1', port: await freePort() });
  const error = await db.one(sql`select 1`).catch((failure: unknown) => failure);
  expect(asProblem(error)).toMatchObject({ code: 'starting', detail: 'The database is not available right now.' });
  expect(asProblem(new TypeError('x'))).toMatchObject({ code: 'internal' });
  await db.close();
});
