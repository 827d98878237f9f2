// The real service, started and stopped by the real svc on the test's own data directory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome, runSvc, type Ran } from '../cli/src/testing/run-svc.ts';
import { labelsFor } from '../server/src/assets/docker/labels.ts';
import { removeLeftovers } from '../server/src/testing/engine-leftovers.ts';
import { engineOf } from './engine-of.ts';

let home: string;
const svc = async (...words: string[]): Promise<Ran> =>
  await runSvc(words, { home, env: { PORT: '0', LOG_LEVEL: 'info' }, timeout_milliseconds: 120_000 });
const parsed = (ran: Ran): Record<string, unknown> => JSON.parse(ran.stdout) as Record<string, unknown>;

beforeAll(() => {
  home = freshHome();
  // PostgreSQL runs as its own user, which must be able to pass through.
  chmodSync(home, 0o711);
});
// The last test removes everything; after a failed test there are remains.
afterAll(async () => {
  if (!existsSync(path.join(home, 'data', 'postgresql'))) return;
  const { engine } = await engineOf({ data_dir: path.join(home, 'data') });
  await svc('server', 'stop');
  await removeLeftovers(engine);
});

test('a stopped service is exit 3, and another stop succeeds', async () => {
  expect(await svc('server', 'status', '--json')).toMatchObject({ exit: 3 });
  expect(parsed(await svc('server', 'stop', '--json'))).toEqual({ stopped: false, pid: null });
});

test('a started service answers at the printed address; a second start changes nothing', async () => {
  const started = await svc('server', 'start', '--json');
  expect(started.stderr).toContain('svc login');
  const { url, pid, log } = parsed(started);
  expect(parsed(await svc('server', 'status', '--json'))).toMatchObject({ state: 'ready', url, pid });
  expect((await fetch(`${String(url)}/readyz`)).status).toBe(200);
  expect(statSync(String(log)).mode & 0o077).toBe(0);

  const again = await svc('server', 'start', '--json');
  expect(again.exit).toBe(0);
  expect(parsed(again)).toMatchObject({ url, pid, started: false });
}, 120_000);

test('the client finds the service of this machine without its address', async () => {
  const { exit, stdout } = await svc(
    'login',
    '--store',
    'file',
    '--email',
    'admin@gantry.local',
    '--password',
    'gantry-admin',
    '--new-password',
    'a better one',
    '--json',
  );
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ email: 'admin@gantry.local', role: 'admin' });
  expect(JSON.parse((await svc('doctor', '--json')).stdout)).toContainEqual(
    expect.objectContaining({ part: 'service', verdict: 'ok' }),
  );
});

test('stop ends the process and removes its announcement; the log stays', async () => {
  const { pid, url } = parsed(await svc('server', 'status', '--json'));
  expect(parsed(await svc('server', 'stop', '--json'))).toEqual({ stopped: true, pid });
  expect(existsSync(path.join(home, 'data', 'server.pid'))).toBe(false);
  await expect(fetch(`${String(url)}/livez`)).rejects.toThrow('fetch failed');
  expect((await svc('server', 'logs', '--tail', '5')).stdout.length).toBeGreaterThan(0);
  expect((await svc('whoami', '--server', String(url))).exit).toBe(3);
}, 120_000);

test('reset-admin gives a one-time password that must be changed at the first sign-in', async () => {
  const { admin_email, one_time_password } = parsed(await svc('server', 'reset-admin', '--json'));
  expect(admin_email).toBe('admin@gantry.local');
  await svc('server', 'start');
  const refused = await svc(
    'login',
    '--store',
    'file',
    '--email',
    String(admin_email),
    '--password',
    String(one_time_password),
  );
  expect(refused.stderr).toContain('--new-password is needed');
  expect(JSON.stringify(readFileSync(path.join(home, 'data', 'server.log'), 'utf8'))).not.toContain(one_time_password);
}, 120_000);

test('the unit of `svc server install` starts the service with the settings of the environment, until SIGTERM', async () => {
  const root = path.join(home, 'machine');
  const installed = await svc('server', 'install', '--root', root, '--json');
  expect(parsed(installed)).toMatchObject({ name: 'gantry.service', changed: true });
  expect(parsed(await svc('server', 'install', '--root', root, '--json'))).toMatchObject({ changed: false });
  const unit = readFileSync(path.join(root, 'etc/systemd/system/gantry.service'), 'utf8');
  expect((await svc('server', 'install', '--print')).stdout).toBe(unit);
  const environment = {
    ...Object.fromEntries(
      [...unit.matchAll(/^Environment="(\w+)=(.*)"$/gm)].map(([, name = '', value]) => [name, value]),
    ),
    ...parseEnv(readFileSync(path.join(root, 'etc/gantry/gantry.env'), 'utf8')),
  };
  expect(environment).toEqual({ HOME: home, DATA_DIR: path.join(home, 'data'), PORT: '0', LOG_LEVEL: 'info' });

  await svc('server', 'stop');
  const [program = '', ...words] = [...(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '').matchAll(/"([^"]*)"/g)].map(
    ([, word = '']) => word,
  );
  const service = spawn(program, words, {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...environment },
    stdio: 'ignore',
  });
  const ended = once(service, 'exit');
  const status = async () => parsed(await svc('server', 'status', '--json'));
  await expect.poll(async () => (await status())['state'], { timeout: 60_000 }).toBe('ready');
  expect((await status())['pid']).toBe(service.pid);
  service.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}, 120_000);

test('uninstall asks first; then the installation leaves nothing in the engine and on disk', async () => {
  await svc('server', 'start');
  const refused = await svc('server', 'uninstall');
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('--yes is needed') });
  const { engine } = await engineOf({ data_dir: path.join(home, 'data') });
  const volume = { Name: `svc-cache-of-a-test-${engine.installation_id}`, Labels: labelsFor(engine, 'cache') };
  await engine.docker.createVolume(volume);
  // Not ours, so it stays.
  writeFileSync(path.join(home, 'data', 'note'), '');
  expect(parsed(await svc('server', 'uninstall', '--yes', '--json'))).toMatchObject({
    removed: { containers: 0, volumes: 1 },
    data_removed: true,
  });
  expect(readdirSync(path.join(home, 'data'))).toEqual(['note']);
  expect((await svc('server', 'status')).exit).toBe(3);
  const label = [`gantry.installation=${engine.installation_id}`];
  expect((await engine.docker.listVolumes({ filters: JSON.stringify({ label }) })).Volumes ?? []).toEqual([]);
  expect(await engine.docker.listNetworks({ filters: { label } })).toEqual([]);
  expect((await svc('server', 'uninstall', '--yes')).stderr).toContain('No installation has its data in');
}, 120_000);
