// A second container engine on this machine, with images, ids and a bridge of its own. Others reach it over TLS, as an engine of another
// machine.
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { startEngine } from '../../../../setup/engine/start-engine.js';
import { freePort } from './free-port.ts';
import { connectEngine, pingEngine, type Engine } from '../../assets/docker/client.ts';

const execute = promisify(execFile);

export interface SecondEngine {
  /** By its socket. */
  engine: Engine;
  /** `tcp://127.0.0.1:<port>` */
  address: string;
  /** PEM, and a certificate that the engine accepts. */
  ca: string;
  client: { certificate: string; key: string };
  /** A certificate of the same authority, for a server at this address. */
  serverAt(address: string): Promise<{ certificate: string; key: string }>;
  stop(): Promise<void>;
}

export async function startSecondEngine(): Promise<SecondEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-engine-'));
  const docker_host = `unix://${join(directory, 'engine.sock')}`;
  const engine = connectEngine({ docker_host, installation_id: crypto.randomUUID() });
  const folders = ['data-root', 'exec-root', 'pidfile'].map((name) => `--${name}=${join(directory, name)}`);
  const port = await freePort();
  const { ca, client, server, serverAt } = await certificates(directory);
  const bridge = await makeBridge();
  const tls = ['--tlsverify', `--tlscacert=${server.ca}`, `--tlscert=${server.cert}`, `--tlskey=${server.key}`];
  const pid = await startEngine({
    dockerd: 'dockerd',
    args: [
      '--host',
      docker_host,
      '--host',
      `tcp://127.0.0.1:${port}`,
      ...tls,
      ...folders,
      `--bridge=${bridge}`,
      '--iptables=false',
      '--ip6tables=false',
    ],
    logFile: join(directory, 'log'),
    pidFiles: [],
    answers: async () =>
      await pingEngine(engine).then(
        () => true,
        () => false,
      ),
    deadline_seconds: 30,
  });
  return {
    engine,
    address: `tcp://127.0.0.1:${port}`,
    ca,
    client,
    serverAt,
    stop: async () => {
      if (pid === undefined) throw new Error('the second engine has no process');
      process.kill(pid);
      while (isAlive(pid)) await delay(50);
      await execute('ip', ['link', 'delete', bridge]);
      await rm(directory, { recursive: true });
    },
  };
}

/** Without one, and also with `none`, the engine would take or delete `docker0` of the first engine. */
async function makeBridge(): Promise<string> {
  const number = randomInt(256);
  const name = `gantry-${number}`;
  // A range that nobody routes (RFC 2544).
  const address = `198.18.${number}.1/24`;
  await execute('ip', ['link', 'add', name, 'type', 'bridge']);
  await execute('ip', ['address', 'add', address, 'dev', name]);
  await execute('ip', ['link', 'set', name, 'up']);
  return name;
}

/** An authority, and a certificate for the engine at 127.0.0.1 and for its client. */
async function certificates(directory: string) {
  const file = (name: string) => join(directory, name);
  const openssl = async (...args: string[]) => await execute('openssl', args);
  const ca = file('ca.pem');
  const new_key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl('req', '-x509', ...new_key, '-keyout', file('ca.key'), '-out', ca, '-days', '2', '-subj', '/CN=tests');
  const issue = async (name: string, extensions: string) => {
    const [key, cert] = [file(`${name}.key`), file(`${name}.pem`)];
    await openssl('req', ...new_key, '-keyout', key, '-out', file(`${name}.csr`), '-subj', `/CN=${name}`);
    await writeFile(file(`${name}.ext`), extensions);
    const by = ['-CA', ca, '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2', '-extfile', file(`${name}.ext`)];
    await openssl('x509', '-req', '-in', file(`${name}.csr`), '-out', cert, ...by);
    return { key, cert };
  };
  const forServer = (address: string) => `subjectAltName=IP:${address}\nextendedKeyUsage=serverAuth\n`;
  const server = await issue('engine', forServer('127.0.0.1'));
  const client = await issue('client', 'extendedKeyUsage=clientAuth\n');
  const read = async (path: string) => await readFile(path, 'utf8');
  return {
    ca: await read(ca),
    server: { ...server, ca },
    client: { certificate: await read(client.cert), key: await read(client.key) },
    serverAt: async (address: string) => {
      const { cert, key } = await issue('server', forServer(address));
      return { certificate: await read(cert), key: await read(key) };
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
