// The service as a unit of systemd: it starts with the machine, and again after a crash. `svc server start` and `stop` then ask systemd.
import { execFile } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../config.ts';
import { CliRefusal } from '../refusal.ts';
import { verbatim } from '../view/view.ts';
import { environmentText, unitText, type UnitInput } from './systemd-unit.ts';

const units = '/etc/systemd/system';
/** Only a machine that systemd has booted has it (sd_booted(3)). */
const booted = '/run/systemd/system';

export interface Unit {
  name: string;
  files: { path: string; text: string; mode: number }[];
  /** The names of the settings in its environment file. */
  settings: string[];
}

/** `settings` are those of this environment. server.env needs no copy, because the service reads it itself. */
export function planUnit(config: Config, command: UnitInput['command'], settings: Record<string, string>): Unit {
  const { GANTRY_HOME, DATA_DIR: _, ...others } = settings;
  const name = unitName(config);
  const environment_file = Object.keys(others).length === 0 ? undefined : environmentFile(name);
  const { XDG_CONFIG_HOME } = config.environment;
  const user = userInfo();
  const text = unitText({
    marker: marker(config),
    data_directory: config.data_directory,
    command,
    environment: {
      HOME: config.environment['HOME'] ?? user.homedir,
      ...(XDG_CONFIG_HOME && { XDG_CONFIG_HOME }),
      ...(GANTRY_HOME && { GANTRY_HOME: path.resolve(GANTRY_HOME) }),
      DATA_DIR: path.resolve(config.data_directory),
    },
    environment_file,
    user: user.uid === 0 ? undefined : user.username,
  });
  return {
    name,
    files: [
      ...(environment_file === undefined
        ? []
        : [{ path: environment_file, text: environmentText(others), mode: 0o600 }]),
      { path: path.join(units, name), text, mode: 0o644 },
    ],
    settings: Object.keys(others),
  };
}

/**
 * Writes the unit below `root` and enables it. False when nothing has changed. Without `root` systemd must run here, and reads the unit at
 * once.
 */
export async function installUnit(
  config: Config,
  { name, files, settings }: Unit,
  root: string | undefined,
): Promise<boolean> {
  const below = (file: string): string => path.join(root ?? '/', file);
  const enabled = below(path.join(units, 'multi-user.target.wants', name));
  if (root === undefined) requireSystemd();
  if (occupant(config, below(path.join(units, name))) === 'other')
    throw new CliRefusal('unit_exists', `${below(path.join(units, name))} is not a unit of this installation`, {
      hint: 'Move it away first.',
    });
  refuseLostSettings(below(environmentFile(name)), settings);
  const changed = files.filter((file) => !isSame(below(file.path), file));
  const isEnabled = lstatSync(enabled, { throwIfNoEntry: false }) !== undefined;
  for (const file of changed) replace(below(file.path), file);
  if (root === undefined && changed.length > 0) await systemctl('daemon-reload');
  if (!isEnabled) await systemctl(...(root === undefined ? [] : [`--root=${root}`]), 'enable', name);
  return changed.length > 0 || !isEnabled;
}

/** Stops the unit too. False when there is none. */
export async function removeUnit(config: Config): Promise<boolean> {
  const name = installedUnit(config);
  if (name === undefined) return false;
  await systemctl('disable', '--now', name);
  rmSync(path.join(units, name));
  rmSync(environmentFile(name), { force: true });
  await systemctl('daemon-reload');
  return true;
}

/** The name of this installation's unit, when systemd runs and has it. */
export function installedUnit(config: Config): string | undefined {
  const name = unitName(config);
  return existsSync(booted) && occupant(config, path.join(units, name)) === 'ours' ? name : undefined;
}

export async function startUnit(name: string): Promise<void> {
  await systemctl('start', name);
}

/** The process id of its service; 0 when it does not run. */
export async function processOfUnit(name: string): Promise<number> {
  return Number(await systemctl('show', '--property=MainPID', '--value', name));
}

export async function stopUnit(name: string): Promise<void> {
  await systemctl('stop', name);
}

/** Throws `no_systemd` on a machine that another program has booted. */
export function requireSystemd(directory: string = booted): void {
  if (existsSync(directory)) return;
  throw new CliRefusal('no_systemd', 'systemd does not run this machine, so it cannot start the service at boot', {
    hint: 'See the unit with `svc server install --print`, or run `svc server start --foreground` under your supervisor.',
  });
}

/** A second installation has its folder's name. */
function unitName({ settings_directory, config_directory }: Config): string {
  if (settings_directory === config_directory) return 'gantry.service';
  return `gantry-${path.basename(settings_directory).replaceAll(/[^A-Za-z0-9_.-]/g, '-')}.service`;
}

function environmentFile(name: string): string {
  return `/etc/gantry/${name.replace('.service', '')}.env`;
}

/** The first line of our units. A file without it belongs to somebody else or to another installation. */
function marker({ settings_directory }: Config): string {
  return `# gantry: the unit of ${settings_directory}; \`svc server install\` rewrites it`;
}

function occupant(config: Config, file: string): 'none' | 'ours' | 'other' {
  const entry = lstatSync(file, { throwIfNoEntry: false });
  if (entry === undefined) return 'none';
  return entry.isFile() && readFileSync(file, 'utf8').split('\n')[0] === marker(config) ? 'ours' : 'other';
}

/** An installation from an environment with fewer settings would start another database at the next boot. */
function refuseLostSettings(file: string, settings: readonly string[]): void {
  if (!existsSync(file)) return;
  const before = [...readFileSync(file, 'utf8').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
  const lost = before.filter((name) => !settings.includes(name));
  if (lost.length === 0) return;
  throw new CliRefusal('settings_lost', `This environment lacks settings of ${file}: ${lost.join(', ')}`, {
    hint: 'Set them in the environment, or remove their lines from the file.',
  });
}

function isSame(file: string, { text, mode }: { text: string; mode: number }): boolean {
  return existsSync(file) && readFileSync(file, 'utf8') === text && (statSync(file).mode & 0o777) === mode;
}

/** Writes another file and renames it, so that systemd never reads half a unit. */
function replace(file: string, { text, mode }: { text: string; mode: number }): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, text, { mode, flag: 'wx' });
    renameSync(unfinished, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')))
      throw error;
    throw new CliRefusal('not_root', `${file} cannot be written by this user`, {
      hint: `Run \`svc server install --print | sudo tee ${file}\`. Then run \`sudo systemctl enable ${path.basename(file)}\`.`,
    });
  }
}

async function systemctl(...words: string[]): Promise<string> {
  try {
    return (await promisify(execFile)('systemctl', words)).stdout.trim();
  } catch (error) {
    const reason = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    throw new CliRefusal('systemctl_failed', `systemctl ${words.join(' ')} failed`, {
      view: [verbatim(reason.trim())],
    });
  }
}
