import { Problem } from '@gantry/contract/problems.ts';
import { expect, test } from 'vitest';
import { openDatabase } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { freePort } from '../testing/free-port.ts';
import { asProblem } from './problem-reply.ts';

test('an unreachable database is unavailable, and a fault in our own query is a bug', async () => {
  const db = openDatabase({ host: '127.0.0.1', port: await freePort() });
  const error = await db.one(sql`select 1`).catch((failure: unknown) => failure);
  expect(asProblem(error)).toMatchObject({ code: 'starting', detail: 'The database is not available right now.' });
  expect(asProblem(new TypeError('x'))).toMatchObject({ code: 'internal' });
  await db.close();
});

test('a part that cannot be closed does not hide the refusal before it', async () => {
  const refuse = async () => {
    await using _part = { [Symbol.asyncDispose]: async () => await Promise.reject(new Error('EBADF')) };
    throw new Problem('archive_too_large');
  };
  const error = await refuse().catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(SuppressedError);
  expect(asProblem(error)).toMatchObject({ code: 'archive_too_large' });
});
