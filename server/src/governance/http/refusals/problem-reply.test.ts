import { expect, test } from 'vitest';
import { Problem, problems, type ProblemCode } from '@gantry/contract/problems.ts';
import { openDatabase } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { freePort } from '../../../testing/servers/free-port.ts';
import { modelProblemReply } from './model-problem-reply.ts';
import { asProblem, problemReply } from './problem-reply.ts';

test('an unreachable database is unavailable, and a fault in our own query is a bug', async () => {
  const db = openDatabase({ host: '127.0.0.1', port: await freePort() });
  const error = await db.one(sql`select 1`).catch((failure: unknown) => failure);
  expect(asProblem(error)).toMatchObject({ code: 'starting', detail: 'The database is not available right now.' });
  expect(asProblem(new TypeError('x'))).toMatchObject({ code: 'internal' });
  await db.close();
});

test('every 503 says when to ask again, and a thrower that knows the time says it', () => {
  const codes = (Object.keys(problems) as ProblemCode[]).filter((code) => problems[code].status === 503);
  expect(codes).toContain('agent_unavailable');
  for (const print of [problemReply, modelProblemReply])
    for (const code of codes) {
      expect(print(new Problem(code), 'x').headers['retry-after'], code).toMatch(/^[1-9]\d*$/);
      expect(print(new Problem(code, { retry_after_seconds: 77 }), 'x').headers['retry-after']).toBe('77');
    }
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
