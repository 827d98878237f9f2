// From a lock to a container that answers, with the real engine, index, wrapper and example.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { frameworks, printRequirement } from '@gantry/project/frameworks.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveRequirements, type ResolvedDependencies } from '../workshop/resolve/resolve.ts';
import { parseLock } from '../workshop/resolve/lock.ts';
import { runInSandbox } from '../workshop/sandbox.ts';
import type { Sandboxes } from '../workshop/sandboxes.ts';
import { testInstallation } from '../workshop/test-installation.ts';
import { testConfig } from '../../testing/config.ts';
import { removeLeftovers } from '../../testing/engine-leftovers.ts';
import { requirementLines } from '../../testing/pushes/requirement-lines.ts';
import { buildAppImage, type AppImageInput } from './app-image.ts';
import { distInfo } from './dist-info.ts';
import { ensureDependencyImage, type DependencyImage } from './dependency-image.ts';
import { pruneCaches, teamCache } from '../workshop/package-cache.ts';
import { pruneImages } from './prune-images.ts';
import { readPackageFiles } from './package-files.ts';

const { engine, open } = testInstallation(testConfig());
const root = join(import.meta.dirname, '../../../..');
const example = join(root, 'examples/langgraph-greeter');
const signal = () => AbortSignal.timeout(240_000);
let sandboxes: Sandboxes;
let resolved: ResolvedDependencies;
let dependencies: DependencyImage;
let app: AppImageInput;
let wrapper_lock: string;

beforeAll(async () => {
  sandboxes = await open({ source_distributions: 'allow' });
  const files = new Map<string, Uint8Array>();
  for (const name of await readdir(example)) files.set(name, await readFile(join(example, name)));
  const text = Buffer.from(files.get('requirements.txt') ?? '').toString();
  const { requires, served_with } = frameworks.langgraph;
  const platform_requirements = [...requires, ...served_with].map(printRequirement);
  resolved = await resolveRequirements(sandboxes, {
    team_id: 'team-1',
    requirements: requirementLines(text),
    platform_requirements,
    signal: signal(),
  });
  const wrapper = await readPackageFiles(join(root, 'wrapper/_svc_wrapper'));
  wrapper_lock = wrapper.lock;
  dependencies = await install({ ...resolved, team_id: 'team-1' });
  const digest = `sha256:${'d'.repeat(64)}`;
  app = {
    dependency_image: dependencies.tag,
    agent: 'greeter',
    team_id: 'team-1',
    version: '1.0.0',
    digest,
    entry: { file: 'agent.py', module: 'agent', source_roots: ['.'] },
    created_at: '2026-01-01T00:00:00Z',
    files,
    wrapper: wrapper.files,
    metadata: new Map(),
    skills: new Map(),
    signal: signal(),
  };
}, 300_000);
afterAll(async () => {
  await sandboxes?.close();
  await removeLeftovers(engine);
  await pruneImages(engine, new Set(), { older_than_seconds: Infinity, signal: signal() });
  await pruneCaches(engine, new Set(), signal());
}, 60_000);

async function install(o: ResolvedDependencies & { team_id: string }): Promise<DependencyImage> {
  return await ensureDependencyImage(sandboxes, { ...o, wrapper_lock, signal: signal() });
}

async function build(changes: Partial<AppImageInput> = {}): Promise<string> {
  const { id } = await buildAppImage(engine, { ...app, signal: signal(), ...changes });
  return id;
}

const limits = { memory_bytes: 1e9, cpus: 2, pids: 64, disk_bytes: 1e8, deadline_seconds: 60 };
const inImage = (image: string, script: string) =>
  runInSandbox(engine, { image, command: ['/bin/sh', '-c', script], limits, signal: signal() });

test('the image has the locked packages with bytecode, but not uv and its cache', async () => {
  const script =
    '/opt/venv/bin/python -c "import langgraph, fastapi; print(fastapi.__cached__)" && ls -A /opt/uv /var/cache/uv /opt/venv/lib/python3*/site-packages/fastapi/__pycache__ | head -4';
  const { stdout, stderr, exit_code } = await inImage(dependencies.tag, script);
  expect({ stderr, exit_code }).toEqual({ stderr: '', exit_code: 0 });
  expect(stdout).toMatch(/__pycache__\/__init__\.cpython-\d+\.pyc/);
  expect(stdout).toContain('/opt/uv:\n\n');
});

test('a lock is installed once for each team', async () => {
  expect(await install({ ...resolved, team_id: 'team-1' })).toEqual({ ...dependencies, reused: true });
  // Read from the image, and stored in its label.
  expect(dependencies.installed).toContainEqual(resolved.packages.find(({ name }) => name === 'langgraph'));
  const own = parseLock(wrapper_lock).map(({ name, version }) => ({ name, version }));
  expect(dependencies.installed).toEqual(expect.arrayContaining(resolved.packages));
  expect([...resolved.packages, ...own]).toEqual(expect.arrayContaining(dependencies.installed));
  const small = await resolveRequirements(sandboxes, {
    team_id: 'team-1',
    requirements: requirementLines('idna==3.10\n'),
    platform_requirements: [],
    signal: signal(),
  });
  const [one, other] = [await install({ ...small, team_id: 'team-1' }), await install({ ...small, team_id: 'team-2' })];
  expect(other.reused).toBe(false);
  expect(other.tag).not.toBe(one.tag);
}, 60_000);

test('another installation on the engine shares an image where all may, and none with packages that a push has built', async () => {
  const ofEngine = (installation_id: string): Sandboxes => ({
    ...sandboxes,
    engine: { ...engine, installation_id },
    settings: { ...sandboxes.settings, shares_images: true },
  });
  const small = await resolveRequirements(sandboxes, {
    team_id: 'team-1',
    requirements: requirementLines('idna==3.10\n'),
    platform_requirements: [],
    signal: signal(),
  });
  const installIn = async (of: Sandboxes, team_id: string, wheels = small.wheels) =>
    await ensureDependencyImage(of, { ...small, wheels, team_id, wrapper_lock, signal: signal() });
  const first = await installIn(ofEngine(engine.installation_id), 'team-1');
  expect(await installIn(ofEngine('another'), 'team-4')).toEqual({ ...first, reused: true });
  const built = new Map([['unused-1.0-py3-none-any.whl', Buffer.alloc(0)]]);
  const own = await installIn(ofEngine(engine.installation_id), 'team-4', built);
  expect([own.reused, own.tag === first.tag]).toEqual([false, false]);
  expect((await installIn(sandboxes, 'team-4')).tag).not.toBe(first.tag);
}, 120_000);

test('a lock with a line other than a package of the index is not installed', async () => {
  const lock = `${resolved.lock}idna @ https://example.com/idna-3.10-py3-none-any.whl --hash=sha256:${'0'.repeat(64)}\n`;
  await expect(install({ ...resolved, lock, team_id: 'team-1' })).rejects.toMatchObject({
    code: 'project_invalid',
    fields: { lines: ['idna @ https://example.com/idna-3.10-py3-none-any.whl'] },
  });
});

test('a lock with a wrong hash is not installed', async () => {
  const lock = 'idna==3.10 \\\n    --hash=sha256:' + '0'.repeat(64) + '\n';
  await expect(install({ ...resolved, lock, team_id: 'team-1' })).rejects.toMatchObject({
    code: 'build_failed',
    fields: { output: expect.stringMatching(/hash/i) },
  });
}, 60_000);

test("the app image has the wrapper and the user's files, runs as nobody and has labels of its sources", async () => {
  const id = await build();
  const { Config } = await engine.docker.getImage(id).inspect();
  expect(Config).toMatchObject({
    User: '10001:10001',
    WorkingDir: '/app',
    Cmd: ['/opt/venv/bin/python', '-m', '_svc_wrapper'],
  });
  expect(Config.Labels).toMatchObject({
    'gantry.installation': engine.installation_id,
    'org.opencontainers.image.version': '1.0.0',
    'org.opencontainers.image.revision': app.digest,
    'org.opencontainers.image.created': '2026-01-01T00:00:00Z',
  });
  const { stdout } = await inImage(
    id,
    'ls /app; stat -c "%u %a" /app /app/agent.py /opt/svc/_svc_wrapper/http/server.py',
  );
  expect(stdout).toBe('agent.py\nagent.yaml\nrequirements.txt\n10001 755\n10001 644\n0 644\n');
});

test('a repeated build gives the same image, also after its images and the cache of the team are gone', async () => {
  const first = await build();
  expect(await build()).toBe(first);
  await pruneImages(engine, new Set(), { older_than_seconds: Infinity, signal: signal() });
  await pruneCaches(engine, new Set(), signal());
  const again = await install({ ...resolved, team_id: 'team-1' });
  expect(again.reused).toBe(false);
  expect(await build()).toBe(first);
  dependencies = again;
}, 300_000);

test("a user's Dockerfile and .dockerignore are ordinary files", async () => {
  const files = new Map(app.files)
    .set('Dockerfile', Buffer.from('FROM scratch\nRUN exit 1\n'))
    .set('.dockerignore', Buffer.from('*\n'));
  const { stdout } = await inImage(await build({ files }), 'ls -A /app');
  expect(stdout.split('\n')).toEqual(expect.arrayContaining(['.dockerignore', 'Dockerfile', 'agent.py']));
});

test("importlib.metadata finds the project's name and version, and the project is not built", async () => {
  const projects = [
    { name: 'React.Agent', version: '1.0rc1' },
    { name: 'FastAPI', version: '0.0.1' },
  ];
  const id = await build({ metadata: distInfo(projects, resolved.lock) });
  const script = `
from importlib.metadata import distribution, version
print(version("react-agent"), version("React.Agent"), distribution("react_agent").metadata["Name"], version("fastapi") == "0.0.1")
`;
  const { stdout, stderr } = await inImage(id, `python -c '${script}'; ls -A /opt/svc`);
  expect({ stdout, stderr }).toEqual({
    stdout: '1.0rc1 1.0rc1 React.Agent False\n_svc_wrapper\nreact_agent-1.0rc1.dist-info\n',
    stderr: '',
  });
});

test('skills are read by the agent, which cannot change, add or remove a file of them', async () => {
  const skills = new Map([
    ['courtesy/SKILL.md', Buffer.from('Say the name first.\n')],
    ['courtesy/scripts/greet.py', Buffer.from('print("hello")\n')],
  ]);
  const id = await build({ skills });
  const script = `
cat $SVC_SKILLS_DIR/courtesy/SKILL.md; python $SVC_SKILLS_DIR/courtesy/scripts/greet.py
stat -c "%u %a %n" $(find $SVC_SKILLS_DIR)
cd $SVC_SKILLS_DIR/courtesy
for change in "echo x > SKILL.md" "echo x > more.md" "rm SKILL.md" "mv scripts x" "chmod 777 SKILL.md"; do
  sh -c "$change" 2>/dev/null && echo "did $change"
done
`;
  const { stdout } = await inImage(id, script);
  expect(stdout.split('\n')).toEqual([
    'Say the name first.',
    'hello',
    '0 755 /opt/skills',
    '0 755 /opt/skills/courtesy',
    '0 644 /opt/skills/courtesy/SKILL.md',
    '0 755 /opt/skills/courtesy/scripts',
    '0 644 /opt/skills/courtesy/scripts/greet.py',
    '',
  ]);
  const { Config } = await engine.docker.getImage(await build()).inspect();
  expect(JSON.stringify(Config.Env)).not.toContain('SVC_SKILLS_DIR');
});

test('a label is only a value', async () => {
  const hostile = '1.0.0"\nRUN id $HOME "x" \\';
  const { Config } = await engine.docker.getImage(await build({ version: hostile })).inspect();
  expect(Config.Labels['org.opencontainers.image.version']).toBe(hostile);
});

test('images that are no longer needed are removed: apps at once, dependencies after a day', async () => {
  const [needed, unneeded] = [await build(), await build({ digest: `sha256:${'f'.repeat(64)}` })];
  const small = await resolveRequirements(sandboxes, {
    team_id: 'team-1',
    requirements: requirementLines('idna==3.10\n'),
    platform_requirements: [],
    signal: signal(),
  });
  const unused = await install({ ...small, team_id: 'team-3' });
  const there = async () => {
    const filters = { label: [`gantry.installation=${engine.installation_id}`] };
    const ids = (await engine.docker.listImages({ filters })).map(({ Id }) => Id);
    return [needed, unneeded, unused.id, dependencies.id].map((id) => ids.includes(id));
  };
  const prune = async (older_than_seconds: number) =>
    await pruneImages(engine, new Set([needed]), { older_than_seconds, signal: signal() });
  expect(await there()).toEqual([true, true, true, true]);
  const now_seconds = Date.now() / 1000;
  await prune(now_seconds - 60 * 60);
  expect(await there()).toEqual([true, false, true, true]);
  await prune(now_seconds + 1);
  expect(await there()).toEqual([true, false, false, true]);
}, 60_000);

test('the package caches of teams without an agent are removed, and the others stay', async () => {
  const caches = async () => {
    const label = [`gantry.installation=${engine.installation_id}`, 'gantry.purpose=wheels'];
    return (await engine.docker.listVolumes({ filters: JSON.stringify({ label }) })).Volumes?.length;
  };
  for (const team of ['kept', 'gone']) await teamCache(sandboxes, team, signal());
  const before = (await caches()) ?? 0;
  expect(before).toBeGreaterThanOrEqual(2);
  await pruneCaches(engine, new Set(['kept']), signal());
  expect(await caches()).toBe(1);
  await pruneCaches(engine, new Set(), signal());
  expect(await caches()).toBe(0);
});

test('an aborted build ends at once and leaves no image', async () => {
  const stop = new AbortController();
  const files = new Map(app.files).set('large.bin', Buffer.alloc(80e6, 1));
  const digest = `sha256:${'e'.repeat(64)}`;
  const building = buildAppImage(engine, { ...app, files, digest, signal: stop.signal });
  const began = performance.now();
  setTimeout(() => stop.abort(new Error('cancelled by a test')), 50);
  await expect(building).rejects.toThrow('cancelled by a test');
  // A busy machine takes seconds for a stop.
  expect(performance.now() - began).toBeLessThan(10_000);
  const filters = {
    label: [`org.opencontainers.image.revision=${digest}`, `gantry.installation=${engine.installation_id}`],
  };
  expect(await engine.docker.listImages({ filters })).toEqual([]);
});
