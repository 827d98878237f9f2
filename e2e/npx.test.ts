// The package of npm, as a person without a clone uses it: packed here, and run by npm in an empty folder.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { environment } from './config.ts';

const clone = resolve(import.meta.dirname, '..');
const first_ms = 290_000;
let root: string;
let home: string;
let empty: string;
let archive: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gantry-npx-'));
  // PostgreSQL's own user must be able to pass through.
  await chmod(root, 0o711);
  [home, empty] = [join(root, 'home'), join(root, 'empty')];
  await mkdir(empty);
  const { stdout } = await run(clone, 'npm', ['pack', '--json', '--pack-destination', root]);
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as { filename: string }[];
  archive = join(root, packed?.filename ?? '');
});
afterAll(async () => {
  await run(empty, join(home, 'bin/svc'), ['server', 'uninstall', '--yes']);
  await rm(root, { recursive: true, force: true });
});

/** Without the variables with which npm runs this test, and with the programs of the clone only for the clone. */
async function run(cwd: string, program: string, args: string[]): Promise<{ stdout: string }> {
  const own = Object.entries(environment()).filter(([name]) => !name.startsWith('npm_') && name !== 'SERVICE_URL');
  const env = Object.fromEntries(own);
  const outside = (env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  const found = cwd === clone ? env['PATH'] : outside.join(':');
  return await promisify(execFile)(program, args, {
    cwd,
    env: { ...env, PATH: found, GANTRY_HOME: home },
    timeout: first_ms,
    maxBuffer: 16_000_000,
  });
}

const quickstart = async () => await run(empty, 'npm', ['exec', '--yes', `--package=${archive}`, '--', 'gantry']);

test('from an empty folder, the package brings an agent that answers, and a second run is quick and changes nothing', async () => {
  await quickstart();
  const svc = async (...words: string[]) => (await run(empty, join(home, 'bin/svc'), words)).stdout;
  const said = await svc('invoke', 'hello', '{"message": "hi, I am Ada"}');
  expect(said).toContain('Ada');
  const releases = await readdir(join(home, 'releases'));
  expect(releases).toHaveLength(1);
  const state = await svc('server', 'status', '--json');
  const began = performance.now();
  await quickstart();
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(`second run: ${seconds.toFixed(1)} s\n`);
  expect(seconds).toBeLessThan(30);
  expect(await readdir(join(home, 'releases'))).toEqual(releases);
  expect(await svc('server', 'status', '--json')).toBe(state);
  // Nothing else is installed, and the folder is as empty as before.
  expect(await readdir(empty)).toEqual([]);
}, 400_000);
