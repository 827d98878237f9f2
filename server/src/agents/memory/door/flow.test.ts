// A flow of crewai through the wrapper's persistence and the real door, in open runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneEnvironment, cloneFolder } from '../../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../../setup/packages/python.js';
import { sql } from '../../../ground/database/sql.ts';
import { memoryStage, type MemoryStage } from '../../../testing/agents/memory-stage.ts';

let stage: MemoryStage;
let ada: string;
let bob: string;

beforeAll(async () => {
  stage = await memoryStage();
  const { email } = await stage.app.user('bob@example.com', { teams: { ml: 'viewer' } });
  const idOf = async (of: string) =>
    (await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${of}`))?.id ?? '';
  [ada, bob] = [await idOf(stage.ada.email), await idOf(email)];
});
afterAll(async () => await stage?.close());

interface Asked {
  caller_id: string;
  thread: string;
  said: { input: object } | { resume: string };
}

/** One call after the other, in one Python process. Each has a run of its own, which is open for the whole of it. */
async function calls(...asked: readonly Asked[]): Promise<unknown[]> {
  const runs = [];
  for (const { caller_id, thread, said } of asked) {
    const run = await stage.openRun({ caller_id, thread });
    runs.push({ run, call: { token: stage.tokenOf({ id: run.id, caller_id }), thread, ...said } });
  }
  const uv = await ensureUv(() => {});
  const words = ['run', '--quiet', 'python', 'tests/flow_through_door.py', stage.door, stage.key];
  const child = spawn(uv, [...words, JSON.stringify(runs.map(({ call }) => call))], {
    cwd: join(cloneFolder, 'wrapper'),
    env: {
      ...cloneEnvironment(await uvEnvironment()),
      PYTHONPATH: '.:tests',
      CREWAI_DISABLE_TELEMETRY: 'true',
      CREWAI_TRACING_ENABLED: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exit_code] = (await ended) as [number];
  expect(exit_code === 0 ? '' : complaint).toBe('');
  for (const { run } of runs) await run.end();
  return JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as unknown[];
}

test('a flow goes on with the thread of its caller, and hears the answer of a person in another process', async () => {
  const added = (word: string) => [{ id: 'ask', value: { question: 'Add this?', output: `added ${word}` } }];
  const first = await calls(
    { caller_id: ada, thread: 'shared', said: { input: { add: 'tea' } } },
    { caller_id: bob, thread: 'shared', said: { input: { add: 'coffee' } } },
  );
  expect(first).toMatchObject([
    { output: { seen: ['tea'] }, interrupts: added('tea') },
    { output: { seen: ['coffee'] }, interrupts: added('coffee') },
  ]);
  const rows = await stage.app.db.all<{ body: Buffer }>(sql`select body from thread_blob`);
  expect(rows.some(({ body }) => body.includes('coffee'))).toBe(false);

  const second = await calls({ caller_id: ada, thread: 'shared', said: { resume: 'yes' } });
  expect(second).toEqual([{ output: 'added tea: yes', interrupts: [] }]);
  const third = await calls({ caller_id: ada, thread: 'shared', said: { input: { add: 'toast' } } });
  expect(third).toMatchObject([{ output: { seen: ['tea', 'toast'], answer: 'yes' }, interrupts: added('toast') }]);
}, 180_000);
