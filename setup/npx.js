#!/usr/bin/env node
// @ts-check
/**
 * `npx gantry quickstart`, and `npx gantry svc …`. Node strips no types below node_modules, and npm may delete its folder for npx at any time. So
 * this copies the release to a folder of its own, once, and the set-up of a clone goes on there.
 */
import { cpSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { cloneFolder, outsideEnvironment, readConfig } from './config.js';

const usage = `Usage:
  npx gantry quickstart   installs what is missing, starts the service and its console, deploys an example agent and calls it
  npx gantry svc …        svc, as quickstart has installed it`;

const [command = '', ...words] = process.argv.slice(2);
if (command === 'quickstart')
  process.exitCode = run(process.execPath, [join(ensureRelease(), 'setup', 'quickstart.js')]);
else if (command === 'svc') process.exitCode = runSvc(releaseFolder());
else {
  console.error(usage);
  process.exitCode = 2;
}

function releaseFolder() {
  /** @type {unknown} */
  const manifest = JSON.parse(readFileSync(join(cloneFolder, 'package.json'), 'utf8'));
  const { version } = /** @type {{ version: string }} */ (manifest); // it is in this package
  return join(readConfig().releasesFolder, version);
}

/** A killed copy leaves no release. */
function ensureRelease() {
  const folder = releaseFolder();
  if (existsSync(folder)) return folder;
  mkdirSync(readConfig().releasesFolder, { recursive: true });
  const unfinished = mkdtempSync(join(readConfig().releasesFolder, '.unfinished-'));
  try {
    cpSync(cloneFolder, unfinished, { recursive: true });
    copyFileSync(join(unfinished, 'setup', 'packages', 'release-lock.json'), join(unfinished, 'package-lock.json'));
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** @param {string} release */
function runSvc(release) {
  const node = join(release, 'node_modules', '.bin', 'node');
  if (existsSync(node)) return run(node, [join(release, 'cli', 'svc.js'), ...words]);
  console.error('svc is not installed yet: npx gantry quickstart');
  return 1;
}

/** @param {string} program @param {string[]} args */
function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit', env: outsideEnvironment() });
  if (error !== undefined) throw error;
  return status ?? 1;
}
