// A second container engine on this machine, with images, ids and a bridge of its own. Others reach it over TLS, as an engine of another
// machine.
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { startEngine } from '../../../../setup/engine/start-engine.js';
import { certificates } from './certificates.ts';
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

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
