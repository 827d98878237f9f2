// A program of PyPI that stands for a cloud. uv installs it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cloneEnvironment } from '../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../setup/packages/python.js';
import { freePort } from './free-port.ts';
import { answersAt } from './running.ts';

const most_output = 20_000;

export interface Emulator {
  port: number;
  /** `http://127.0.0.1:<port>` */
  endpoint: string;
  stop(): Promise<void>;
}

interface Program {
  name: string;
  python: string;
  /** With its version. */
  packages: readonly string[];
  command: (port: number) => string[];
  environment?: (port: number) => Record<string, string>;
}

/** Throws with its output when it does not start. */
export async function startEmulator({ name, python, packages, command, environment }: Program): Promise<Emulator> {
  const port = await freePort();
  const uv = await ensureUv(() => {});
  const more = { ...(await uvEnvironment()), ...environment?.(port), PYTHONUNBUFFERED: '1' };
  const needed = ['--python', python, ...packages.flatMap((one) => ['--with', one])];
  const child = spawn(uv, ['run', '--no-project', '--quiet', ...needed, ...command(port)], {
    env: cloneEnvironment(more),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (output = (output + piece.toString()).slice(-most_output)));
  const stop = async () => {
    child.kill('SIGTERM'); // uv passes it on
    await ended;
  };
  // The first run installs it.
  if (!(await answersAt(port, { child, seconds: 240 }))) {
    await stop();
    throw new Error(`${name} did not start:\n${output}`);
  }
  return { port, endpoint: `http://127.0.0.1:${port}`, stop };
}
