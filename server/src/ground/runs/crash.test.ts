// Kills real processes. After each crash an uncancelled run still ends done, and a run that was being undone ends undone.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { openWorkerErrors } from '../../testing/worker-errors.ts';
import type { CrashWorkerSettings } from '../../testing/killed/crash-worker.ts';
import { runEvents } from './events.ts';
import { enqueue, findRun, type RunRow } from './run.ts';
import { storyKind, storySteps, type StoryInput, type Trap } from '../../testing/killed/story.ts';
import { startWorker, type Worker } from './worker.ts';

let base: TestDatabase;
let folder: string;
let children: ChildProcess[] = [];
let workers: Worker[] = [];
const errors = openWorkerErrors();
const short = { lease_ms: 900, poll_ms: 50 };
const actor = { user_id: '00000000-0000-4000-8000-000000000001', name: 'ada@example.com' };

beforeAll(async () => {
  base = await testDatabase();
});
afterAll(async () => await base.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-crash-'));
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(workers.map((worker) => worker.stop()));
  [children, workers] = [[], []];
  await rm(folder, { recursive: true });
  errors.expectNone();
});

async function startChild(trap: Trap, times: CrashWorkerSettings['times'] = short) {
  const settings: CrashWorkerSettings = { connection: base.connection, owner: 'child', times, trap };
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../testing/killed/crash-worker.ts'), JSON.stringify(settings)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  children.push(child);
  const said: Record<string, unknown>[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => said.push(JSON.parse(line) as Record<string, unknown>));
  await once(lines, 'line');
  return { child, said, ended: once(child, 'exit') };
}

async function takeOver(times: CrashWorkerSettings['times'] = short): Promise<void> {
  const { onError } = errors;
  workers.push(await startWorker(base.db, { story: storyKind() }, { owner: 'parent', ...times, onError }));
}

async function begin(input: Partial<StoryInput> = {}): Promise<string> {
  return (await enqueue(base.db, { kind: 'story', mutex: folder, input: { folder, ...input }, actor })).id;
}

async function ended(id: string): Promise<RunRow> {
  for await (const _ of runEvents(base.db, id, 0, AbortSignal.timeout(15_000)));
  const run = await findRun(base.db, id);
  if (run === undefined) throw new Error('the run is gone');
  return run;
}

const things = async () => (await readdir(folder)).filter((name) => name !== 'journal').toSorted();
const told = async () => (await readFile(join(folder, 'journal'), 'utf8')).trim().split('\n');

const crashPoints = storySteps.flatMap((step) => (['before', 'after'] as const).map((moment) => ({ step, moment })));

test.each(crashPoints)(
  'when a process is killed $moment the work of the $step step, the run continues to its end',
  async ({ step, moment }) => {
    const { ended: killed } = await startChild({ step, moment, signal: 'SIGKILL' });
    const id = await begin();
    expect((await killed)[1]).toBe('SIGKILL');
    await takeOver();
    expect(await ended(id)).toMatchObject({ state: 'done' });
    expect(await things()).toEqual(storySteps.map((name) => `${id}-${name}`).toSorted());
    // Each step did its work once, and no step that was finished before the crash began again.
    const lines = await told();
    for (const name of storySteps) expect(lines.filter((line) => line.startsWith(`${name} made`))).toHaveLength(1);
    for (const name of storySteps.slice(0, storySteps.indexOf(step)))
      expect(lines.filter((line) => line.startsWith(`${name} begun`))).toHaveLength(1);
  },
);

test.each(storySteps)(
  'when a process is killed while it undoes the %s step, the undo continues to its end',
  async (step) => {
    const { ended: killed } = await startChild({ step, moment: 'undo', signal: 'SIGKILL' });
    const id = await begin({ fails: 'third' });
    await killed;
    await takeOver();
    expect(await ended(id)).toMatchObject({ state: 'failed', problem: { code: 'build_failed' } });
    expect(await things()).toEqual([]);
    expect((await told()).filter((line) => line.includes('begun by 2'))).toEqual([]);
  },
);

test('the run of a killed process continues within eight seconds', async () => {
  const { ended: killed } = await startChild({ step: 'second', moment: 'before', signal: 'SIGKILL' }, {});
  const id = await begin();
  await killed;
  const died_at = performance.now();
  await takeOver({});
  await expect.poll(told, { timeout: 15_000 }).toContain('second begun by 2');
  expect(performance.now() - died_at).toBeLessThan(8000);
  expect(await ended(id)).toMatchObject({ state: 'done' });
});

test('a process that was suspended longer than its lease writes nothing when it wakes up', async () => {
  const { child, said } = await startChild({ step: 'second', moment: 'after', signal: 'SIGSTOP' });
  const id = await begin();
  await expect.poll(() => told().catch(() => []), { timeout: 10_000 }).toContain('second made by 1');
  await takeOver();
  const run = await ended(id);
  expect(run).toMatchObject({ state: 'done', result: ['first:1', 'second:2', 'third:2'] });
  const before = await base.db.all({ strings: ['select seq from run_event where run_id = ', ''], values: [id] });
  child.kill('SIGCONT');
  await expect.poll(() => said.filter((line) => line.error === 'Fenced')).not.toEqual([]);
  expect(await findRun(base.db, id)).toEqual(run);
  expect(await base.db.all({ strings: ['select seq from run_event where run_id = ', ''], values: [id] })).toEqual(
    before,
  );
});
