import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../../ground/database/sql.ts';
import { seedCast, type Cast } from '../../../testing/access/cast.ts';
import { requirementLines } from '../../../testing/pushes/requirement-lines.ts';
import { startPushes, type Pushes } from '../../../testing/pushes/pushes.ts';
import { testDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { sha256 } from '../content.ts';
import { findAgent, findVersion } from '../find.ts';
import { loadVersionContent } from '../versions/load-version-content.ts';
import { lockDependencies } from './lock-dependencies.ts';
import type { Resolver } from './resolver.ts';

let database: TestDatabase;
let cast: Cast;
let pushes: Pushes;
let built = 0;

const file = 'crafted-1.0-py3-none-any.whl';
const resolver: Resolver = {
  further_pythons: [],
  obtainable_pythons: [],
  baseImage: async () => ({ pin: 'sha256:base', python_version: '3.11.2' }),
  obtainBaseImage: async (python) => ({ pin: `sha256:obtained ${python}`, python_version: `${python}.1` }),
  resolve: async () => {
    const bytes = Buffer.from(`build ${++built}`);
    return {
      lock: `crafted==1.0 \\\n    --hash=sha256:${sha256(bytes)}\n`,
      python_version: '3.11.2',
      packages: [{ name: 'crafted', version: '1.0' }],
      built_from_source: ['crafted'],
      wheels: new Map([[file, bytes]]),
    };
  },
};

beforeAll(async () => {
  database = await testDatabase();
  cast = await seedCast(database.db);
  pushes = await startPushes(database.db, resolver);
});
afterAll(async () => {
  await pushes?.stop();
  await database?.close();
});

async function lock(text: string): Promise<string> {
  return (await lockWith(resolver, text)).lock;
}

async function lockWith(resolving: Resolver, text: string, isTraced = true) {
  return await lockDependencies(database.db, resolving, {
    team_id: 'team-1',
    requirements: requirementLines(text),
    constraints: [],
    requires_python: [],
    framework: 'crewai',
    isTraced,
    run: { run_id: 'run', fence: 1 },
    onLog: () => {},
    notice: () => {},
    signal: AbortSignal.timeout(10_000),
  });
}

test('packages that do not fit those for tracing are locked without these, and the lock says so', async () => {
  const conflicting: Resolver = {
    ...resolver,
    resolve: async ({ platform_requirements }) => {
      if (platform_requirements.some((one) => one.startsWith('openinference-')))
        throw new Problem('dependency_conflict', { detail: 'no', fields: { packages: ['wrapt'] } });
      const wheels = new Map<string, Uint8Array>();
      return { lock: '', python_version: '3.11.2', packages: [], built_from_source: [], wheels };
    },
  };
  expect((await lockWith(conflicting, 'wrapt<1')).dependencies).toMatchObject({ untraced: 'conflict in wrapt' });
});

test('a crew that opts out of tracing has no package for it in its lock', async () => {
  const asked: string[][] = [];
  const watching: Resolver = {
    ...resolver,
    resolve: async (request) => {
      asked.push(request.platform_requirements.filter((one) => /^(openinference|opentelemetry)-/.test(one)));
      return await resolver.resolve(request);
    },
  };
  for (const isTraced of [true, false]) await lockWith(watching, 'watched', isTraced);
  expect(asked[0]).toContainEqual(expect.stringMatching(/^openinference-instrumentation-crewai>=/));
  expect(asked[1]).toEqual([]);
  built = 0;
});

/** Refuses each package of `conflicting`, as a resolver with a requirement of the user against it. */
const refusing = (conflicting: RegExp, asked: string[][]): Resolver => ({
  ...resolver,
  resolve: async ({ platform_requirements }) => {
    asked.push(platform_requirements.map((spec) => /^[a-z-]+/.exec(spec)?.[0] ?? ''));
    const spec = platform_requirements.find((one) => conflicting.test(one));
    if (spec !== undefined)
      throw new Problem('dependency_conflict', { fields: { required_by: [{ source: 'platform', spec }] } });
    const wheels = new Map<string, Uint8Array>();
    return { lock: '', python_version: '3.11.2', packages: [], built_from_source: [], wheels };
  },
});

test("the spec's server packages are left out where they conflict with the user's, and the agent stays traced", async () => {
  const asked: string[][] = [];
  const { dependencies } = await lockWith(refusing(/^fastapi/, asked), 'starlette==0.20');
  expect(dependencies).not.toHaveProperty('untraced');
  expect(asked.at(-1)).toEqual(expect.arrayContaining(['crewai', 'pydantic', 'opentelemetry-sdk']));
  expect(asked.at(-1)).not.toContain('fastapi');
});

test("a conflict in the user's own packages is refused, and not tried without the server", async () => {
  const asked: string[][] = [];
  await expect(lockWith(refusing(/^crewai/, asked), 'crewai==0.1 # x')).rejects.toMatchObject({
    code: 'dependency_conflict',
  });
  expect(asked.filter((names) => !names.includes('fastapi'))).toEqual([]);
});

test('built wheels are kept with the version, and a lock with missing wheels is made again', async () => {
  const run = await pushes.push(await cast.caller('ada'), { name: 'greeter' });
  expect(run).toMatchObject({ state: 'done', problem: null });
  const first = await lock('crafted');
  expect(await lock('crafted')).toBe(first);
  expect(built).toBe(2);

  // The sweep removes wheels that no version kept.
  expect(await database.db.run(sql`delete from blob where not kept`)).toBe(1);
  const second = await lock('crafted');
  expect(second).not.toBe(first);
  expect(await lock('crafted')).toBe(second);
  expect(built).toBe(3);

  const agent = await findAgent(database.db, 'greeter', null);
  const version = agent && (await findVersion(database.db, agent.id, 'latest'));
  const content = await loadVersionContent(database.db, version?.id ?? '');
  expect(content.wheels).toEqual([{ file, bytes: Buffer.from('build 1') }]);
  expect(content.lock).toContain(sha256('build 1'));
}, 60_000);
