// A PostgreSQL with TLS, and one without.
import { spawn } from 'node:child_process';
import { chmod, chown, copyFile, mkdtemp, readFile, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '../../testing/servers/free-port.ts';
import { certificate, type Certificate } from '../../testing/servers/receivers.ts';
import { running, type Running } from '../../testing/servers/running.ts';
import { openDatabase } from './database.ts';
import { startEmbedded } from './embedded.ts';
import { isExposed, reachOf } from './reach.ts';

let folder: string;
let password = '';
let port: number;
let own: Certificate;
let other: Certificate;
let server: (ssl: 'on' | 'off') => Running;
let started: Running | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-tls-'));
  [own, other] = [await certificate(folder, 'own'), await certificate(folder, 'other')];
  const embedded = await startEmbedded(folder);
  const data = join(folder, 'postgresql/data');
  const [pid = ''] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
  const program = await readlink(`/proc/${pid}/exe`);
  await embedded.stop();
  password = embedded.connection.password ?? '';
  // PostgreSQL requires a key of its own user that is closed to others.
  const { uid, gid } = await stat(data);
  const [key, cert] = [join(data, 'server.key'), join(data, 'server.crt')];
  for (const [from, to] of [
    [own.key, key],
    [own.cert, cert],
  ] as const) {
    await copyFile(from, to);
    await chmod(to, 0o600);
    await chown(to, uid, gid);
  }
  port = await freePort();
  server = (ssl) => {
    const settings = { listen_addresses: '127.0.0.1,127.0.0.2', port, unix_socket_directories: '', ssl };
    const files = { ssl_cert_file: cert, ssl_key_file: key };
    const flags = Object.entries({ ...settings, ...files }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return running(() => spawn(program, ['-D', data, ...flags], { uid, gid, cwd: '/', stdio: 'ignore' }), port);
  };
}, 60_000);
afterAll(async () => {
  await started?.end('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

async function start(ssl: 'on' | 'off'): Promise<void> {
  await started?.end('SIGTERM');
  started = server(ssl);
  await started.start();
  await vi.waitFor(async () => await reach({}), 10_000); // it listens before it accepts connections
}

async function reach(parameters: Record<string, string>, host = '127.0.0.1') {
  const url = new URL(`postgresql://gantry:${password}@${host}:${port}/gantry`);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const db = openDatabase({ connectionString: url.href }, { max: 1 });
  try {
    return await reachOf(db);
  } finally {
    await db.close();
  }
}

test('sslmode=verify-full accepts only the server with a trusted certificate for its name', async () => {
  await start('on');
  const verified = { sslmode: 'verify-full', sslrootcert: own.cert };
  expect(await reach(verified)).toEqual({ address: '127.0.0.1', encrypted: true });
  expect(await reach({}, '127.0.0.2')).toEqual({ address: '127.0.0.2', encrypted: false });
  await expect(reach({ ...verified, sslrootcert: other.cert })).rejects.toThrow('self-signed certificate');
  await expect(reach({ sslmode: 'verify-full' })).rejects.toThrow('self-signed certificate');
  await expect(reach(verified, '127.0.0.2')).rejects.toThrow("does not match certificate's altnames");
});

test('a server that removes TLS gets nothing', async () => {
  await start('off');
  expect(await reach({})).toEqual({ address: '127.0.0.1', encrypted: false });
  const verified = { sslmode: 'verify-full', sslrootcert: own.cert };
  await expect(reach(verified)).rejects.toThrow('does not support SSL');
});

test.each([
  [null, false, false],
  ['127.0.0.1', false, false],
  ['::1', false, false],
  ['10.0.0.5', true, false],
  ['10.0.0.5', false, true],
  ['2001:db8::1', false, true],
])('the connection to a server at %s, encrypted %s, is open to others: %s', (address, encrypted, exposed) => {
  expect(isExposed({ address, encrypted })).toBe(exposed);
});
