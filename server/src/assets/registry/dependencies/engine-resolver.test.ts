// The only test file with the real resolver: in a sandbox of the container engine, from the package index.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openContainers, type Containers } from '../../../containers.ts';
import { openLog } from '../../../ground/log.ts';
import { seedCast, type Cast } from '../../../testing/access/cast.ts';
import { testConfig } from '../../../testing/config.ts';
import { removeLeftovers } from '../../../testing/engine-leftovers.ts';
import { startPushes, type Pushes } from '../../../testing/pushes/pushes.ts';
import { testDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { engineResolver } from './engine-resolver.ts';
import { loadVersionContent } from '../versions/load-version-content.ts';

const config = testConfig();
let containers: Containers | undefined;
let database: TestDatabase;
let cast: Cast;
let pushes: Pushes;

beforeAll(async () => {
  const opened = openContainers(
    { ...config, base_images: { '3.12': config.base_image } },
    randomUUID(),
    openLog('silent'),
    { onRefusedEgress: () => {} },
  );
  containers = opened;
  database = await testDatabase();
  cast = await seedCast(database.db);
  pushes = await startPushes(database.db, engineResolver(opened.pythons));
});
afterAll(async () => {
  await pushes?.stop();
  await database?.close();
  await containers?.close();
  if (containers !== undefined) await removeLeftovers(containers.engine);
});

test(
  'a push locks the dependencies of agent.py with hashes, on the base image of builds',
  { timeout: 300_000 },
  async () => {
    const run = await pushes.push(await cast.caller('ada'), {
      files: { 'requirements.txt': 'langgraph>=0.2.0\nhumanize==4.9.0\n' },
    });
    expect(run).toMatchObject({ state: 'done', problem: null });
    const content = await loadVersionContent(database.db, run.result?.version_id ?? '');
    expect(content.base_image).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(content.python).toMatch(/^3\.\d+/);
    expect(content.lock).toMatch(/^humanize==4\.9\.0 \\\n +--hash=sha256:[0-9a-f]{64}/m);
    expect(content.lock).toMatch(/^uvicorn==/m);
    expect(content.dependencies.packages).toContainEqual({ name: 'humanize', version: '4.9.0' });
    const again = await pushes.push(await cast.caller('ada'), {
      version: '1.0.1',
      files: { 'requirements.txt': 'langgraph>=0.2.0\nhumanize==4.9.0\n', 'other.py': '' },
    });
    expect((await loadVersionContent(database.db, again.result?.version_id ?? '')).lock).toBe(content.lock);
  },
);

test('conflicting requirements end the push with a report of both sides', { timeout: 300_000 }, async () => {
  const run = await pushes.push(await cast.caller('ada'), {
    name: 'torn',
    files: { 'requirements.txt': 'langgraph>=0.2.0\nhttpx==0.28.1\nhttpcore==0.18.0\n' },
  });
  expect(run).toMatchObject({ state: 'failed', problem: { code: 'dependency_conflict' } });
});

test('a base image with another Python than its entry is refused by name', { timeout: 120_000 }, async () => {
  const run = await pushes.push(await cast.caller('ada'), {
    files: { 'pyproject.toml': '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.12"\n' },
  });
  expect(run).toMatchObject({ state: 'failed', problem: { code: 'base_image_missing' } });
  expect(run.problem?.detail).toMatch(
    `BASE_IMAGES names ${config.base_image} for Python 3.12, but the image has Python 3.11`,
  );
});
