import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { endless } from '../../testing/models/plain-rules.ts';
import { judgesOf } from '../../testing/models/rules-of.ts';
import { forgetGiven, forgetOldGiven, givenTo, keepGiven } from './given.ts';
import { GuardedCall, type AskFor } from './guarded-call.ts';
import type { DocumentText } from './json-texts.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => await database?.close());

const message = (text: string): DocumentText => ({ text, source: 'message' });

test('a run keeps each given text once, in order, and not the words of the model', async () => {
  const { db } = database;
  const [run, other] = [randomUUID(), randomUUID()];
  await keepGiven(db, run, [message('first'), { text: 'said before', source: 'assistant' }]);
  await keepGiven(db, run, [message('first'), { text: 'found\0', source: 'tool_result' }]);
  await keepGiven(db, other, [message('of another run')]);
  expect(await givenTo(db, run)).toEqual([
    { source: 'message', text: 'first' },
    { source: 'tool_result', text: 'found' },
  ]);
  await forgetGiven(db, run);
  expect([await givenTo(db, run), (await givenTo(db, other)).length]).toEqual([[], 1]);
});

test('texts of a run whose end nobody saw go after a day, and a run keeps a bounded amount', async () => {
  const { db } = database;
  const run = randomUUID();
  for (let n = 0; n < 8; n++) await keepGiven(db, run, [message(`${n}${'x'.repeat(300_000)}`)]);
  expect((await givenTo(db, run)).map(({ text }) => text.length)).toEqual(Array(5).fill(200_000));
  await db.run(sql`update guardrail_given set at = at - interval '25 hours' where run_id = ${run}`);
  await forgetOldGiven(db);
  expect(await givenTo(db, run)).toEqual([]);
});

test('the judge of an answer compares it with the input and the given texts, and its remarks come with the answer', async () => {
  const asked: string[] = [];
  const ask: AskFor = () => async (request) => {
    if (request.kind !== 'chat') throw new Error('a chat is asked');
    asked.push(request.user);
    return await Promise.resolve({ scores: [{ support: 1 }, { support: 0.1 }] });
  };
  let isForgotten = false;
  const given = {
    read: async () => await Promise.resolve([{ source: 'tool_result' as const, text: 'It rains in Oslo.' }]),
    forget: async () => await Promise.resolve(void (isForgotten = true)),
  };
  const record = { count: () => {}, block: async () => {} };
  const judges = judgesOf('hallucination_check', { model: 'judge' });
  const call = new GuardedCall(judges, { ask, given, record, signal: endless });
  await call.learn([message('How is the weather?')]);
  await call.checkAnswer('It rains. Everyone is happy.');
  await call.end();
  expect(asked[0]).toMatch(/How is the weather\?[^]*It rains in Oslo\.[^]*It rains\.[^]*Everyone is happy\./);
  expect(call.notes).toEqual([{ text_index: 0, start: 10, end: 28, score: 0.1 }]);
  expect(isForgotten).toBe(true);
  const strict = new GuardedCall(judgesOf('hallucination_check', { model: 'judge', action: 'block' }), {
    ask,
    given,
    record,
    signal: endless,
  });
  await expect(strict.checkAnswer('It rains. Everyone is happy.')).rejects.toMatchObject({ code: 'guardrail_blocked' });
});
