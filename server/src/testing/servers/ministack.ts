// An emulator of AWS that runs the tasks of ECS on the engine of this machine. uv installs it. It proves nothing about an account of AWS.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cloneEnvironment } from '../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../setup/packages/python.js';
import { freePort } from './free-port.ts';
import { answersAt } from './running.ts';

const needed = ['--python', '>=3.11,<3.14', '--with', 'ministack[full]==1.5.33'];
const most_output = 20_000;

export interface Ministack {
  port: number;
  /** `http://127.0.0.1:<port>` */
  endpoint: string;
  stop(): Promise<void>;
}

/** Throws with its output when it does not start. */
export async function startMinistack(): Promise<Ministack> {
  const port = await freePort();
  const uv = await ensureUv(() => {});
  const more = { ...(await uvEnvironment()), GATEWAY_PORT: String(port), PYTHONUNBUFFERED: '1' };
  const command = ['run', '--no-project', '--quiet', ...needed, 'ministack'];
  const child = spawn(uv, command, { env: cloneEnvironment(more), stdio: ['ignore', 'pipe', 'pipe'] });
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
    throw new Error(`ministack did not start:\n${output}`);
  }
  return { port, endpoint: `http://127.0.0.1:${port}`, stop };
}
