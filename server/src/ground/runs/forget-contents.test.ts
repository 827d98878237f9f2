import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../database/sql.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { forgetContents } from './forget-contents.ts';
import { findRun } from './run.ts';

let base: TestDatabase;
beforeAll(async () => {
  base = await testDatabase();
});
afterAll(async () => await base.close());

async function endedRun(kind: string, days: number): Promise<string> {
  const row = await base.db.one<{ id: string }>(sql`
    insert into run (kind, mutex, input, actor_id, actor_name, behind, state, ended_at, result, ending, problem)
    values (${kind}, gen_random_uuid()::text, '{"name": "flow", "input": "a secret"}', gen_random_uuid(), 'ada', false, 'failed',
      clock_now() - make_interval(days => ${days}), '{"status": "done", "output": {"text": "a secret"}}',
      '{"state": "failed", "problem": {"code": "member_failed", "detail": "a secret"}}',
      '{"code": "member_failed", "title": "t", "status": 502, "detail": "a secret"}') returning id`);
  const id = row?.id ?? '';
  await base.db.run(sql`
    insert into run_step (run_id, n, name, has_undo, state, output, problem)
    values (${id}, 1, 'ann', false, 'done', '{"agent": "agents/ann", "text": "a secret", "output": "a secret"}', null)`);
  await base.db.run(sql`update run set last_seq = 1 where id = ${id}`);
  await base.db.run(sql`
    insert into run_event (run_id, seq, kind, step, state, message, data) values (${id}, 1, 'log', 'ann', null, 'a secret', '{}')`);
  return id;
}

async function everythingOf(id: string): Promise<string> {
  const run = await base.db.one(sql`select * from run where id = ${id}`);
  const steps = await base.db.all(sql`select * from run_step where run_id = ${id}`);
  const events = await base.db.all(sql`select * from run_event where run_id = ${id}`);
  return JSON.stringify([run, steps, events]);
}

test('the contents of an old run are forgotten, and who ran it and how it ended stays', async () => {
  const [old, young, other] = [await endedRun('flow', 8), await endedRun('flow', 6), await endedRun('deploy', 8)];
  await forgetContents(base.db, 'flow', 7);
  expect(await everythingOf(old)).not.toContain('a secret');
  expect(await findRun(base.db, old)).toMatchObject({
    state: 'failed',
    input: { name: 'flow' },
    actor: { name: 'ada' },
    result: { status: 'done' },
    problem: { code: 'member_failed', status: 502 },
    steps: [{ name: 'ann', state: 'done' }],
  });
  for (const id of [young, other]) expect(await everythingOf(id)).toContain('a secret');
});
