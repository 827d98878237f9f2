// With the real engine, the real uv and the real package index. The addresses in the locks do not exist, because nothing reads them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testConfig } from '../../../testing/config.ts';
import { removeLeftovers } from '../../../testing/engine-leftovers.ts';
import { requirementLines } from '../../../testing/pushes/requirement-lines.ts';
import { resolveLocked, type ResolveLockedInput } from './resolve-locked.ts';
import type { Sandboxes } from '../sandboxes.ts';
import { testInstallation } from '../test-installation.ts';

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

const sha = {
  idna: 'ab7ae7122974553370f0bdb919e1a960b2cd1bc1ef0276416d896db81c14582c',
  six: '4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274',
  docopt: '49b3a825280bd66b3aa83585ef59c4a8c82f2c8a522dbe754a8bc8d08c85c491',
};
const registry = '{ registry = "https://index.example/simple" }';
const wheel = (file: string, hash: string) =>
  `wheels = [{ url = "https://files.example/${file}", hash = "sha256:${hash}" }]\n`;
const entry = (name: string, version: string, files: string, source = registry) =>
  `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = ${source}\n${files}\n`;
const idna = entry('idna', '3.20', wheel('idna-3.20-py3-none-any.whl', sha.idna));
const six = entry('six', '1.17.0', wheel('six-1.17.0-py2.py3-none-any.whl', sha.six));
const docopt = entry(
  'docopt',
  '0.6.2',
  `sdist = { url = "https://files.example/docopt-0.6.2.tar.gz", hash = "sha256:${sha.docopt}" }\n`,
);

interface Written {
  packages: string[];
  /** Lines of the project's `dependencies` in the lock. */
  needs?: string[];
  more?: string;
}

/** A project that needs the packages of the lock. */
function locked({ packages, needs, more = '' }: Written): ResolveLockedInput['locked'] {
  const names = packages.map((one) => /name = "([^"]+)"/.exec(one)?.[1] ?? '');
  const dependencies = (needs ?? names.map((name) => `{ name = "${name}" }`)).join(', ');
  const own = `[[package]]\nname = "demo"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [${dependencies}]\n\n`;
  const listed = names.map((name) => `"${name}"`).join(', ');
  return {
    lock: 'uv.lock',
    folders: ['.'],
    packages: [],
    files: {
      'uv.lock': `version = 1\nrevision = 3\nrequires-python = ">=3.10"\n\n${own}${packages.join('')}`,
      'pyproject.toml': `[project]\nname = "demo"\nversion = "1"\nrequires-python = ">=3.10"\ndependencies = [${listed}]\n${more}`,
    },
  };
}

function resolve(written: Written, changes: Partial<ResolveLockedInput> = {}) {
  return resolveLocked(sandboxes, {
    team_id: 'team-1',
    locked: locked(written),
    requirements: [],
    platform_requirements: [],
    signal: AbortSignal.timeout(120_000),
    ...changes,
  });
}

test('the lock has exactly the versions and hashes of uv.lock for this Python, whatever the settings of uv say', async () => {
  const settings = [
    '[tool.uv]',
    'required-version = "==0.1"',
    'override-dependencies = ["six==1.16.0"]',
    'index-url = "https://index.example/simple"',
  ];
  const { lock, packages, built_from_source } = await resolve({
    packages: [idna, six],
    needs: ['{ name = "idna", marker = "sys_platform == \'win32\'" }', '{ name = "six" }'],
    more: settings.join('\n'),
  });
  expect(lock).toBe(`six==1.17.0 \\\n    --hash=sha256:${sha.six}\n`);
  expect({ packages, built_from_source }).toEqual({
    packages: [{ name: 'six', version: '1.17.0' }],
    built_from_source: [],
  });
  expect(refusedHosts.filter((host) => host.includes('example'))).toEqual([]);
}, 120_000);

test('only packages that the lock misses are resolved, and its versions bind them', async () => {
  const { lock, packages } = await resolve(
    { packages: [idna] },
    { platform_requirements: ['idna>=4', 'anyio>=4'], requirements: requirementLines('six\n') },
  );
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(['anyio', 'idna', 'six']));
  expect(packages).toContainEqual({ name: 'idna', version: '3.20' });
  expect(lock).toContain(`idna==3.20 \\\n    --hash=sha256:${sha.idna}\n`);
}, 120_000);

test('a missing package that the lock does not allow is refused with the line to add', async () => {
  const old = entry(
    'h11',
    '0.9.0',
    wheel('h11-0.9.0-py2.py3-none-any.whl', '4bc6d6a1238b7615b266ada57e0618568066f57dd6fa967d1290ec9309b2f2f1'),
  );
  await expect(resolve({ packages: [old] }, { platform_requirements: ['httpcore>=1.0.9'] })).rejects.toMatchObject({
    code: 'dependency_conflict',
    hint: 'Add "httpcore>=1.0.9" to the dependencies in pyproject.toml, and lock again: uv lock',
  });
}, 120_000);

test('a locked source distribution is built once, and the lock has the hashes of both', async () => {
  const { lock, built_from_source, wheels } = await resolve({ packages: [docopt, six] });
  expect(lock).toMatch(
    new RegExp(`^docopt==0\\.6\\.2 \\\\\n {4}--hash=sha256:${sha.docopt} \\\\\n {4}--hash=sha256:[0-9a-f]{64}\n`),
  );
  expect({ built_from_source, files: [...wheels.keys()] }).toEqual({
    built_from_source: ['docopt'],
    files: ['docopt-0.6.2-py2.py3-none-any.whl'],
  });
}, 120_000);

test('all versions that left the index are named at once, with their lines and one command', async () => {
  const gone = [idna.replaceAll('3.20', '3.999'), six.replaceAll('1.17.0', '1.999')];
  await expect(resolve({ packages: [...gone, docopt] })).rejects.toMatchObject({
    code: 'dependency_conflict',
    detail: expect.stringMatching(/idna==3\.999 \(uv\.lock:11\), six==1\.999 \(uv\.lock:17\)/),
    hint: 'Lock it again: uv lock --upgrade-package idna --upgrade-package six',
  });
}, 120_000);

describe('a lock is refused with the line of', () => {
  const at = (where: string) => entry('six', '1.17.0', '', where);
  test.each([
    [
      'a git source',
      at('{ git = "https://example.com/six#0123456789012345678901234567890123456789" }'),
      /version control/,
    ],
    [
      'an address',
      entry(
        'six',
        '1.17.0',
        wheel('six-1.17.0-py2.py3-none-any.whl', sha.six),
        '{ url = "https://files.example/six-1.17.0-py2.py3-none-any.whl" }',
      ),
      /an address/,
    ],
    ['a folder outside', at('{ directory = "../../../etc" }'), /a folder outside/],
    ['a folder at an absolute path', at('{ editable = "/etc" }'), /a folder outside/],
    ['a build of another index', six.replaceAll('1.17.0', '1.17.0+cpu'), /another index/],
    [
      'a file for no Python of agents',
      entry('six', '1.17.0', wheel('six-1.17.0-cp27-none-win32.whl', sha.six)),
      /without a file/,
    ],
    ['a package of a foreign index, whose files differ', six.replace(sha.six, '0'.repeat(64)), /other files/],
  ])(
    '%s',
    async (_, written, reason) => {
      await expect(resolve({ packages: [written] })).rejects.toMatchObject({
        code: 'project_invalid',
        detail: expect.stringMatching(reason),
        fields: { lines: [expect.stringMatching(/^six .*\(uv\.lock:11\)$/)] },
      });
      expect(refusedHosts.filter((host) => host.includes('example'))).toEqual([]);
    },
    120_000,
  );

  test('nothing when uv cannot read it', async () => {
    const project = locked({ packages: [six] });
    project.files['uv.lock'] = 'version = 99\n';
    await expect(resolve({ packages: [] }, { locked: project })).rejects.toMatchObject({
      code: 'project_invalid',
      detail: 'uv.lock cannot be read',
    });
  }, 120_000);
});
