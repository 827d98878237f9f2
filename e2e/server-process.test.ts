// The real service, started and stopped by the real svc on a data directory of the test's own.
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome, runSvc, type Ran } from '../cli/src/testing/run-svc.ts';
import { removeLeftovers } from '../server/src/testing/engine-leftovers.ts';
import { engineOf } from './engine-of.ts';

let home: string;
const svc = async (...words: string[]): Promise<Ran> =>
  await runSvc(words, { home, env: { PORT: '0', LOG_LEVEL: 'info' }, timeout_milliseconds: 120_000 });
const parsed = (ran: Ran): Record<string, unknown> => JSON.parse(ran.stdout) as Record<string, unknown>;

beforeAll(() => {
  home = freshHome();
  // PostgreSQL runs as a user of its own, which must be able to pass through.
  chmodSync(home, 0o711);
});
afterAll(async () => {
  const { engine } = await engineOf({ data_dir: path.join(home, 'data') });
  await svc('server', 'stop');
  await removeLeftovers(engine);
});

test('stopped is exit 3, and stopping it again is no failure', async () => {
  expect(await svc('server', 'status', '--json')).toMatchObject({ exit: 3 });
  expect(parsed(await svc('server', 'stop', '--json'))).toEqual({ stopped: false, pid: null });
});

test('a started service answers at the address that was printed, once; a second start leaves it alone', async () => {
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

test('the client finds the service of this machine without being told its address', async () => {
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

test('stop ends the process and takes its announcement along; the log stays', async () => {
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
