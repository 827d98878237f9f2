import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Program {
  pid: number;
  url: string;
  stop(): Promise<void>;
}

const start_ms = 120_000;
const stop_ms = 15_000;

/** Starts a server and waits until it answers. Its output goes to the file. */
export async function startProgram({
  argv: [program, ...words],
  env,
  port,
  ready = '/',
  log_file,
}: {
  argv: [string, ...string[]];
  env: NodeJS.ProcessEnv;
  port: number;
  /** A path that answers once it serves. */
  ready?: string;
  log_file: string;
}): Promise<Program> {
  const log = await open(log_file, 'a');
  const child = spawn(program, words, { env, stdio: ['ignore', log.fd, log.fd] });
  const ended = once(child, 'exit');
  await log.close();
  const url = `http://127.0.0.1:${port}`;
  const deadline = AbortSignal.timeout(start_ms);
  while ((await fetch(url + ready, { signal: deadline }).catch(() => undefined)) === undefined) {
    if (deadline.aborted || child.exitCode !== null || child.pid === undefined) {
      child.kill('SIGKILL');
      throw new Error(`it does not answer: ${(await readFile(log_file, 'utf8')).trim().split('\n').at(-1)}`);
    }
    await sleep(100);
  }
  const stop = async () => {
    const kill = setTimeout(() => child.kill('SIGKILL'), stop_ms);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(kill);
  };
  return { pid: child.pid ?? 0, url, stop };
}
