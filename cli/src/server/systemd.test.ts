import { execFile } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readConfig, type Config } from '../config.ts';
import { environmentText } from './systemd-unit.ts';
import { installUnit, planUnit, requireSystemd } from './systemd.ts';

const secret = 'a "quoted" $HOME `id` \\ %n';

/** The file system of a machine that does not run. */
function machine(more: Record<string, string> = {}): { root: string; config: Config; unitFile: string } {
  const root = mkdtempSync(path.join(tmpdir(), 'gantry-machine-'));
  const config = readConfig({ HOME: '/root', DATA_DIR: '/var/lib/gantry', ...more });
  return { root, config, unitFile: path.join(root, 'etc/systemd/system/gantry.service') };
}

test('an installed unit starts with the machine; a second installation changes nothing', async () => {
  const { root, config, unitFile } = machine();
  const unit = planUnit(config, ['/usr/bin/true'], { DATA_DIR: '/var/lib/gantry', SECRET_KEY: secret });
  expect(await installUnit(config, unit, root)).toBe(true);
  expect(readFileSync(unitFile, 'utf8')).toContain('EnvironmentFile=/etc/gantry/gantry.env\n');
  expect(readFileSync(unitFile, 'utf8')).not.toContain(secret);
  const environment = path.join(root, 'etc/gantry/gantry.env');
  expect(statSync(environment).mode & 0o777).toBe(0o600);
  expect(
    lstatSync(path.join(root, 'etc/systemd/system/multi-user.target.wants/gantry.service'), { throwIfNoEntry: false }),
  ).toBeDefined();
  expect(await installUnit(config, unit, root)).toBe(false);
  chmodSync(environment, 0o644);
  expect(await installUnit(config, unit, root)).toBe(true);
  expect(statSync(environment).mode & 0o777).toBe(0o600);
});

test('an environment without the settings of the last installation is refused', async () => {
  const { root, config, unitFile } = machine();
  await installUnit(config, planUnit(config, ['/usr/bin/true'], { DATABASE_URL: 'postgres://a' }), root);
  const before = readFileSync(unitFile, 'utf8');
  await expect(installUnit(config, planUnit(config, ['/usr/bin/true'], {}), root)).rejects.toThrow('DATABASE_URL');
  expect(readFileSync(unitFile, 'utf8')).toBe(before);
});

test("somebody else's unit, and that of another installation, stay", async () => {
  const { root, config, unitFile } = machine();
  const unit = planUnit(config, ['/usr/bin/true'], {});
  mkdirSync(path.dirname(unitFile), { recursive: true });
  writeFileSync(unitFile, '[Unit]\nDescription=Theirs\n');
  await expect(installUnit(config, unit, root)).rejects.toThrow('is not a unit of this installation');

  const first = machine({ GANTRY_HOME: '/srv/a/second' });
  const other = machine({ GANTRY_HOME: '/srv/b/second' });
  await installUnit(first.config, planUnit(first.config, ['/usr/bin/true'], {}), first.root);
  expect(existsSync(path.join(first.root, 'etc/systemd/system/gantry-second.service'))).toBe(true);
  await expect(installUnit(other.config, planUnit(other.config, ['/usr/bin/true'], {}), first.root)).rejects.toThrow(
    'is not a unit of this installation',
  );
});

test('a machine without systemd is refused', () => {
  expect(() => requireSystemd(tmpdir())).not.toThrow();
  expect(() => requireSystemd(path.join(tmpdir(), 'missing'))).toThrow('systemd does not run this machine');
});

test('systemd reads the unit without a complaint, also with special characters in its paths', async () => {
  const { root, config } = machine({ DATA_DIR: '/var/lib/a "data" %n directory' });
  const odd = path.join(root, 'a $HOME %n');
  mkdirSync(odd);
  // systemd checks that the program exists.
  symlinkSync(process.execPath, path.join(odd, 'node'));
  const verify = async (program: string): Promise<string> => {
    const file = path.join(root, 'gantry.service');
    const unit = planUnit(config, [program, 'serve', '"$HOME" %n'], { SECRET_KEY: secret });
    writeFileSync(file, unit.files.at(-1)?.text ?? '');
    const ran = await promisify(execFile)('systemd-analyze', ['verify', file]).catch((error: Error) => ({
      stdout: '',
      stderr: error.message,
    }));
    return ran.stdout + ran.stderr;
  };
  expect(await verify(path.join(odd, 'missing'))).toContain('is not executable');
  expect(await verify(path.join(odd, 'node'))).toBe('');
});

test('a shell reads the values of the environment file as systemd does', async () => {
  const file = path.join(machine().root, 'environment');
  writeFileSync(file, environmentText({ SECRET_KEY: secret, OTHER: 'plain' }));
  const { stdout } = await promisify(execFile)('sh', ['-c', `. ${file}; printf %s "$SECRET_KEY$OTHER"`]);
  expect(stdout).toBe(`${secret}plain`);
});
