// @ts-check
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand } from './command.js';
import { cloneFolder, outsideEnvironment, packagePrograms, readConfig } from './config.js';
import { print, SetupProblem } from './step.js';

/** This line marks our launchers; a file without it belongs to somebody else and is never changed. */
const marker = '# gantry: the svc launcher of a clone; `npm run quickstart` rewrites it';

/**
 * Puts `svc` on the PATH: in npm's global folder for programs, else in ~/.local/bin. An installation with its own folder has its `svc`
 * there, which always uses that installation.
 *
 * @returns {Promise<string>} what was done, for the progress line
 */
export async function ensureLauncher() {
  const { home, installationFolder, searchPath } = readConfig();
  const folders =
    installationFolder === undefined
      ? [...(await npmFolder()), join(home, '.local', 'bin')]
      : [join(installationFolder, 'bin')];
  const places = folders.map((folder) => describePlace(folder, searchPath));
  const place = choosePlace(places);
  if (place === undefined) {
    const reasons = places.map(
      ({ path, occupant }) => `${path} ${occupant === 'other' ? "is somebody else's" : 'cannot be written'}`,
    );
    throw new SetupProblem({
      cause: `there is no place for the svc launcher: ${reasons.join('; ')}`,
      fix: `Move the other svc away, or call ${join(packagePrograms, 'node')} ${join(cloneFolder, 'cli/svc.js')} yourself.`,
    });
  }
  const text = launcherText(join(packagePrograms, 'node'), join(cloneFolder, 'cli', 'svc.js'), installationFolder);
  const isNew = place.occupant === 'none' || readFileSync(place.path, 'utf8') !== text;
  if (isNew) writeLauncher(place.path, text);
  if (!place.isOnPath)
    print(
      `  ${place.folder} is not on your PATH: add  export PATH="${place.folder}:$PATH"  to your shell's start file`,
    );
  const shadow = findShadow(place, searchPath);
  if (shadow) print(`  ${shadow} comes first on your PATH and is another program: call ${place.path} by its path`);
  return isNew ? `wrote ${place.path}` : place.path;
}

/**
 * @typedef {{ folder: string, path: string, isWritable: boolean, isOnPath: boolean, occupant: 'none' | 'ours' | 'other' }} Place
 */

/**
 * The first place that is free or ours, can be written and is on the PATH; else the last, which is the user's own folder.
 *
 * @param {Place[]} places
 * @returns {Place | undefined}
 */
export function choosePlace(places) {
  const usable = places.filter((place) => place.isWritable && place.occupant !== 'other');
  const last = usable.at(-1) === places.at(-1) ? usable.at(-1) : undefined;
  return usable.find((place) => place.isOnPath) ?? last;
}

/**
 * Checks a folder and the owner of `svc` in it. A link counts as foreign, because a write would follow it.
 *
 * @param {string} folder
 * @param {string[]} searchPath
 * @returns {Place}
 */
export function describePlace(folder, searchPath) {
  const path = join(folder, 'svc');
  return {
    folder,
    path,
    isWritable: isWritable(folder),
    isOnPath: searchPath.includes(folder),
    occupant: occupantOf(path),
  };
}

/**
 * With enough heap for a short command, so that it ends before the first garbage collection, which would take a tenth of its time.
 *
 * @param {string} node
 * @param {string} program
 * @param {string} [installationFolder] what GANTRY_HOME is for it, where the environment has none
 */
export function launcherText(node, program, installationFolder) {
  const home =
    installationFolder === undefined
      ? ''
      : `[ -n "$GANTRY_HOME" ] || export GANTRY_HOME=${quote(installationFolder)}\n`;
  return `#!/bin/sh\n${marker}\n${home}exec ${quote(node)} --min-semi-space-size=16 ${quote(program)} "$@"\n`;
}

/**
 * Writes another file and renames it, so that nobody runs an incomplete one.
 *
 * @param {string} path
 * @param {string} text
 */
export function writeLauncher(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text, { flag: 'wx' });
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, path);
}

/** @param {string} path @returns {Place['occupant']} */
function occupantOf(path) {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return 'none';
  return entry.isFile() && readFileSync(path, 'utf8').split('\n')[1] === marker ? 'ours' : 'other';
}

/** @param {string} folder */
function isWritable(folder) {
  if (!existsSync(folder)) return isWritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false; // the answer to the question asked, not a fault
  }
}

/** @param {Place} place @param {string[]} searchPath */
function findShadow(place, searchPath) {
  const before = place.isOnPath ? searchPath.slice(0, searchPath.indexOf(place.folder)) : searchPath;
  // npm puts folders of the clone first while it runs a script; the user's own shell does not have them.
  return before
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, 'svc'))
    .find((path) => existsSync(path) && occupantOf(path) === 'other');
}

async function npmFolder() {
  const { exit_code, output } = await runCommand(['npm', 'config', 'get', 'prefix', '--loglevel=silent'], {
    env: outsideEnvironment(),
    timeout_seconds: 30,
  });
  const prefix = output.trim();
  return exit_code === 0 && prefix.startsWith('/') ? [join(prefix, 'bin')] : [];
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
