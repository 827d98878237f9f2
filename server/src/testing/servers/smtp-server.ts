// A mail server by others (aiosmtpd), in a separate process, with test certificates (trustme). uv installs both.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cloneEnvironment } from '../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../setup/packages/python.js';
import { freePort } from './free-port.ts';

/** `stripped` offers no STARTTLS, like a server behind an attacker who removes it. */
type SmtpMode = 'starttls' | 'smtps' | 'stripped' | 'plaintext';

export interface ReceivedLetter {
  from: string;
  to: string[];
  /** The raw text. */
  head: string;
  /** Decoded. */
  body: string;
  tls: boolean;
  user: string | null;
}

export interface SmtpServer {
  port: number;
  ca_file: string;
  inbox(): Promise<ReceivedLetter[]>;
  /** `busy`: answers 451. `mute`: keeps the message and never answers. */
  be(mood: 'busy' | 'mute', on: boolean): Promise<void>;
  start(mode: SmtpMode): Promise<void>;
  kill(): Promise<void>;
  close(): Promise<void>;
}

const script = join(import.meta.dirname, 'smtp_server.py');
const packages = ['--with', 'aiosmtpd==1.4.6', '--with', 'trustme==1.2.1'];

export async function smtpServer(): Promise<SmtpServer> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-smtp-'));
  const port = await freePort();
  const uv = await ensureUv(() => {});
  const env = cloneEnvironment(await uvEnvironment());
  let running: { child: ChildProcess; pid: number } | undefined;

  const kill = async () => {
    if (running === undefined) return;
    const { child, pid } = running;
    running = undefined;
    const ended = once(child, 'exit');
    // The server's own process: uv only waits for it.
    process.kill(pid, 'SIGKILL');
    await ended;
  };
  const inbox = async () => {
    const file = join(folder, 'inbox');
    const lines = existsSync(file) ? (await readFile(file, 'utf8')).trim().split('\n') : [];
    return lines.map((line) => JSON.parse(line) as ReceivedLetter); // written by the script
  };
  return {
    port,
    ca_file: join(folder, 'ca.pem'),
    inbox,
    be: async (mood, on) => await (on ? writeFile(join(folder, mood), '') : rm(join(folder, mood), { force: true })),
    start: async (mode) => {
      await kill();
      const command = ['run', '--no-project', '--quiet', ...packages, 'python', script, folder, String(port), mode];
      const child = spawn(uv, command, { env, stdio: ['pipe', 'pipe', 'pipe'] });
      const said: string[] = [];
      child.stderr.on('data', (chunk: Buffer) => said.push(String(chunk)));
      const lines = createInterface({ input: child.stdout });
      const [first] = (await Promise.race([once(lines, 'line'), once(child, 'exit')])) as unknown[];
      const [, pid] = /^ready (\d+)$/.exec(String(first)) ?? [];
      if (pid === undefined) throw new Error(`the mail server did not start: ${said.join('')}`);
      running = { child, pid: Number(pid) };
    },
    kill,
    close: async () => {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}
