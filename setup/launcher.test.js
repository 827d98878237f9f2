// @ts-check
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { choosePlace, describePlace, launcherText, writeLauncher } from './launcher.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gantry-launcher-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** @param {Partial<import('./launcher.js').Place>} facts @returns {import('./launcher.js').Place} */
function place(facts) {
  return { folder, path: join(folder, 'svc'), isWritable: true, isOnPath: true, occupant: 'none', ...facts };
}

test('a launcher that quickstart wrote is known as ours and is replaced', () => {
  writeLauncher(join(folder, 'svc'), launcherText('/old/node', '/old/main.ts'));
  expect(describePlace(folder, [folder])).toMatchObject({ occupant: 'ours', isOnPath: true, isWritable: true });

  writeLauncher(join(folder, 'svc'), launcherText('/new/node', '/new/main.ts'));
  expect(readFileSync(join(folder, 'svc'), 'utf8')).toContain("'/new/main.ts'");
});

test('the launcher of an installation with a folder of its own leads to it, unless the environment names another', () => {
  const program = join(folder, 'print');
  writeFileSync(program, '#!/bin/sh\necho "$GANTRY_HOME"\n', { mode: 0o755 });
  writeLauncher(join(folder, 'svc'), launcherText(program, 'main', "/srv/the second's"));
  const home = (/** @type {NodeJS.ProcessEnv} */ env) => execFileSync(join(folder, 'svc'), { env, encoding: 'utf8' });
  expect(home({})).toBe("/srv/the second's\n");
  expect(home({ GANTRY_HOME: '/srv/third' })).toBe('/srv/third\n');
});

test("somebody else's svc is never chosen", () => {
  writeFileSync(join(folder, 'svc'), '#!/bin/sh\necho another program\n');
  const other = describePlace(folder, [folder]);
  expect(other.occupant).toBe('other');
  expect(choosePlace([other])).toBeUndefined();
  expect(choosePlace([other, place({ folder: '/home/a/.local/bin' })])).toMatchObject({ folder: '/home/a/.local/bin' });
});

test("a link is somebody else's, wherever it leads", () => {
  mkdirSync(join(folder, 'elsewhere'));
  writeLauncher(join(folder, 'elsewhere', 'svc'), launcherText('/n', '/m'));
  symlinkSync(join(folder, 'elsewhere', 'svc'), join(folder, 'svc'));
  expect(describePlace(folder, []).occupant).toBe('other');
});

test('the folder on the PATH comes first; the own folder of the user is the last resort, also off the PATH', () => {
  const global = place({ folder: '/global/bin' });
  const local = place({ folder: '/home/a/.local/bin', isOnPath: false });
  expect(choosePlace([global, local])).toBe(global);
  expect(choosePlace([{ ...global, isWritable: false }, local])).toBe(local);
  expect(choosePlace([{ ...global, isOnPath: false }, local])).toBe(local);
  expect(
    choosePlace([
      { ...global, isOnPath: false },
      { ...local, occupant: 'other' },
    ]),
  ).toBeUndefined();
});

test('a folder that is not there yet is made when it is written to', () => {
  const later = describePlace(join(folder, '.local', 'bin'), []);
  expect(later).toMatchObject({ occupant: 'none', isWritable: true, isOnPath: false });
  expect(choosePlace([later])).toBe(later);
  writeLauncher(later.path, launcherText('/n', '/m'));
  expect(describePlace(later.folder, []).occupant).toBe('ours');
});

test('the launcher passes every argument on, also from a clone with an awkward name', () => {
  const awkward = join(folder, "it's a clone");
  mkdirSync(awkward);
  const program = join(awkward, 'main.cjs');
  writeFileSync(program, "process.stdout.write(process.argv.slice(2).map((word) => `${word}|`).join(''));\n");
  writeLauncher(join(folder, 'svc'), launcherText(process.execPath, program));
  expect(execFileSync(join(folder, 'svc'), ['invoke', 'a b', '{"x":"y"}'], { encoding: 'utf8' })).toBe(
    'invoke|a b|{"x":"y"}|',
  );
});
