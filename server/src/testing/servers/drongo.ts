// An emulator of Google's Secret Manager. uv installs it. It keeps state only: it refuses no permission and no malformed name.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cloneEnvironment } from '../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../setup/packages/python.js';
import { freePort } from './free-port.ts';
import { answersAt } from './running.ts';

const needed = ['--python', '>=3.10,<3.14', '--with', 'drongo==0.8.0'];
const most_output = 20_000;

export interface Drongo {
  /** `http://127.0.0.1:<port>` */
  endpoint: string;
  stop(): Promise<void>;
}

/** Throws with its output when it does not start. */
export async function startDrongo(): Promise<Drongo> {
  const port = await freePort();
  const uv = await ensureUv(() => {});
  const more = { ...(await uvEnvironment()), PYTHONUNBUFFERED: '1' };
  const command = ['run', '--no-project', '--quiet', ...needed];
  const child = spawn(uv, [...command, 'drongo', 'server', '--host', '127.0.0.1', '--port', String(port)], {
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
  if (!(await answersAt(port, { child, seconds: 120 }))) {
    await stop();
    throw new Error(`drongo did not start:\n${output}`);
  }
  return { endpoint: `http://127.0.0.1:${port}`, stop };
}
