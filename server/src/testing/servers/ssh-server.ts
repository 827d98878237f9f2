// OpenSSH on loopback, for the user of the tests. It takes one key and forwards sockets.
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { running } from './running.ts';

export interface SshServer {
  /** `ssh://<user>@127.0.0.1:<port>` */
  address: string;
  fingerprint: string;
  private_key: string;
  /** The sessions end. */
  endSessions(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSshServer(): Promise<SshServer> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-ssh-'));
  const file = (name: string) => join(directory, name);
  const run = promisify(execFile);
  for (const name of ['host', 'user']) await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file(name)]);
  const port = await freePort();
  const settings = {
    ListenAddress: '127.0.0.1',
    Port: port,
    HostKey: file('host'),
    AuthorizedKeysFile: file('user.pub'),
    PidFile: 'none',
    StrictModes: 'no',
    UsePAM: 'no',
    PasswordAuthentication: 'no',
    PermitRootLogin: 'prohibit-password',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
  await writeFile(file('config'), lines.join(''));
  // The daemon separates its privileges in this folder, which its service makes at boot.
  await mkdir('/run/sshd', { recursive: true });
  let pid: number | undefined;
  const launch = () => {
    const daemon = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', file('config')], { stdio: 'ignore' });
    pid = daemon.pid;
    return daemon;
  };
  const server = running(launch, port);
  await server.start();
  const { stdout } = await run('ssh-keygen', ['-l', '-f', file('host.pub')]);
  return {
    address: `ssh://${userInfo().username}@127.0.0.1:${port}`,
    fingerprint: stdout.split(' ')[1] ?? '',
    private_key: await readFile(file('user'), 'utf8'),
    // Each session is a child of the daemon.
    endSessions: async () => void (await run('pkill', ['-P', String(pid)])),
    stop: async () => {
      await server.end('SIGTERM');
      await rm(directory, { recursive: true });
    },
  };
}
