import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export interface Received {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  url: string;
  /** As `host:port`, for OUTBOUND_PRIVATE_HOSTS. */
  host: string;
  answer(how: number | 'never' | 'redirect' | 'endless'): void;
  received(): Promise<Received[]>;
  start(): Promise<void>;
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** A real process that receives webhooks; only its files survive a kill. */
export async function receiver(): Promise<Receiver> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-receiver-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const answer = (how: string | number) => writeFileSync(join(folder, 'answer'), String(how));
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const start = async () => {
    const script = join(import.meta.dirname, 'webhook-receiver.ts');
    const started = spawn(process.execPath, [script, folder, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    child = started;
    await once(started.stdout, 'data');
  };
  answer(200);
  await start();
  return {
    url: `http://127.0.0.1:${port}/hook`,
    host: `127.0.0.1:${port}`,
    answer,
    received: async () => {
      const file = join(folder, 'received');
      const lines = existsSync(file) ? (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '') : [];
      return lines.map((line) => JSON.parse(line) as Received); // written by the script
    },
    start,
    kill,
    close: async () => {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}
