#!/usr/bin/env node
// @ts-check
/**
 * `npx gantry`: the quickstart without a clone. npm may clear its folder of packages at any time, and the service runs from the release for months.
 * So the release is copied to a lasting folder and set up there. Another run of the same release finds it.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { cloneFolder, readConfig } from '../config.js';
import { packed_lock } from './release.js';

const { installationFolder, dataFolder } = readConfig();
const [word = 'quickstart', ...others] = process.argv.slice(2);
if (word !== 'quickstart' || others.length > 0) {
  console.error('Usage: npx gantry [quickstart]');
  process.exitCode = 2;
} else {
  const release = placeOfRelease();
  if (!existsSync(release)) copyTo(release);
  const { status, signal } = spawnSync(process.execPath, [join(release, 'setup', 'quickstart.js')], {
    stdio: 'inherit',
  });
  if (signal !== null) process.kill(process.pid, signal);
  process.exitCode = status ?? 1;
}

/** The digest of its files is in the name, so a changed package is another release. */
function placeOfRelease() {
  const { version } = /** @type {{ version: string }} */ (
    JSON.parse(readFileSync(join(cloneFolder, 'package.json'), 'utf8'))
  );
  const hash = createHash('sha256');
  for (const path of files())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(cloneFolder, path)))
      .update('\0');
  return join(installationFolder ?? dataFolder, 'releases', `${version}-${hash.digest('hex').slice(0, 12)}`);
}

function files() {
  return readdirSync(cloneFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(cloneFolder, join(parentPath, name)))
    .filter((path) => path.split(sep)[0] !== 'node_modules')
    .toSorted();
}

/** Renamed when it is complete. PostgreSQL, which may run as another user, passes through the folder. @param {string} release */
function copyTo(release) {
  const unfinished = `${release}.${process.pid}`;
  const before = process.umask(0);
  mkdirSync(dirname(release), { recursive: true, mode: 0o711 });
  process.umask(before);
  try {
    cpSync(cloneFolder, unfinished, { recursive: true });
    copyFileSync(join(unfinished, packed_lock), join(unfinished, 'package-lock.json'));
    if (!existsSync(release)) renameSync(unfinished, release);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
