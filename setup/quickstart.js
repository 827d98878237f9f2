// @ts-check
/**
 * `npm run quickstart`: from a fresh clone to an agent that answers. It installs the foundation of the service (packages, console, engine,
 * base image, launcher) and then runs `svc quickstart`, which sets up the admin, starts the service and deploys the example.
 * A second run finds everything in place and changes nothing.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { recordBuildSettings } from './settings/build-settings.js';
import { runCommand } from './command.js';
import { cloneEnvironment, cloneFolder, defaultBaseImage, packagePrograms, readConfig } from './config.js';
import { ensureLauncher } from './launcher.js';
import { prepare } from './prepare.js';
import { readSettings, writeSettings } from './settings/settings-file.js';
import { PartFailed, runScript, step } from './step.js';

const hand_over_timeout_seconds = 1800;

await runScript(async () => {
  const baseImage = await prepare();
  await step('settings', async () => {
    makeInstallationFolder();
    recordBaseImage(baseImage);
    return recordBuildSettings();
  });
  await step('launcher', ensureLauncher);
  await handOver(baseImage);
});

/** Other users may pass through it but not list it: PostgreSQL runs as its own user, and its data are below. */
function makeInstallationFolder() {
  const { installationFolder } = readConfig();
  if (installationFolder === undefined || existsSync(installationFolder)) return;
  const before = process.umask(0);
  mkdirSync(installationFolder, { recursive: true, mode: 0o711 });
  process.umask(before);
}

/**
 * The default image is also the server's default; another one is written to its settings file.
 *
 * @param {string} baseImage
 */
function recordBaseImage(baseImage) {
  const { settingsFile } = readConfig();
  const isRecorded = readSettings(settingsFile).has('BASE_IMAGE');
  if (baseImage !== defaultBaseImage || isRecorded) writeSettings(settingsFile, { BASE_IMAGE: baseImage });
}

/** @param {string} baseImage */
async function handOver(baseImage) {
  const { exit_code } = await runCommand([join(packagePrograms, 'node'), join('cli', 'svc.js'), 'quickstart'], {
    cwd: cloneFolder,
    env: cloneEnvironment(baseImage === defaultBaseImage ? {} : { BASE_IMAGE: baseImage }),
    timeout_seconds: hand_over_timeout_seconds,
    inherit: true,
  });
  if (exit_code !== 0) throw new PartFailed('svc quickstart'); // it has said why
}
