// The release as npm has it, installed into an empty folder with an empty cache, as a person does it.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { environment } from './config.ts';

const clone = resolve(import.meta.dirname, '..');
const run = promisify(execFile);
let directory: string;
let tarball: string;
let files: string[];
let env: NodeJS.ProcessEnv;
let begun = false;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gantry-npx-'));
  for (const folder of ['empty', 'home', 'packed']) await mkdir(join(directory, folder), { mode: 0o711 });
  const path = (environment()['PATH'] ?? '').split(':').filter((folder) => !folder.startsWith(clone));
  env = {
    ...environment(),
    PATH: path.join(':'),
    // Registry and engine are those of the machine.
    NPM_CONFIG_USERCONFIG: join(homedir(), '.npmrc'),
    NPM_CONFIG_CACHE: join(directory, 'cache'),
    XDG_DATA_HOME: join(directory, 'home/share'),
    XDG_CONFIG_HOME: join(directory, 'home/config'),
    GANTRY_HOME: join(directory, 'home/installation'),
  };
  const { stdout } = await run(
    'npm',
    ['pack', '--silent', '--json', `--pack-destination=${join(directory, 'packed')}`],
    {
      cwd: clone,
      maxBuffer: 16 * 1024 ** 2,
    },
  );
  const [packed] = npmPack.parse(JSON.parse(stdout.slice(stdout.indexOf('[\n'))));
  tarball = join(directory, 'packed', packed?.filename ?? '');
  files = packed?.files.map((file) => file.path) ?? [];
});

afterAll(async () => {
  try {
    if (begun) await npx('svc', 'server', 'uninstall', '--yes');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('T561 the package has what a release needs, and no test, no setting and no file of the machine', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'console/dist/index.html',
      'wrapper/requirements.lock',
      'reader/requirements.lock',
      'server/start.js',
      'setup/packages/release-lock.json',
      'examples/langgraph-greeter/agent.py',
    ]),
  );
  expect(
    files.filter((file) => /\.test\.|(^|\/)(tests|testing|node_modules|\.cache|\.venv)\/|\.env$|\.log$/.test(file)),
  ).toEqual([]);
});

test('npx from an empty folder and an empty cache installs, starts, deploys the example and calls it; svc works after it', async () => {
  begun = true;
  const { stdout } = await npx('quickstart');
  expect(stdout).toMatch(/✓ launcher/);
  const { stdout: listed } = await npx('svc', 'list', 'agents', '--json');
  expect(listed).toContain('greeter');
  const { stdout: status } = await run(join(directory, 'home/installation/bin/svc'), ['server', 'status'], { env });
  expect(status).toContain('ready');
}, 900_000);

const npmPack = z.array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }));

async function npx(...words: string[]) {
  return await run('npx', ['--yes', `--package=${tarball}`, 'gantry', ...words], {
    cwd: join(directory, 'empty'),
    env,
    maxBuffer: 16 * 1024 ** 2,
  });
}
