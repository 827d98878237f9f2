import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { ensureUv, uvEnvironment } from '../setup/packages/python.js';
import { environment } from './config.ts';
import { outsideMachine } from './outside-machine.ts';

const run = promisify(execFile);
const port = 9999;
const packages = ['a2a-sdk[http-server]==1.3.0', 'uvicorn==0.38.0'];

export interface A2aServer {
  /** With the port. */
  host: string;
  stop(): Promise<void>;
}

/** agents/a2a_server.py on an outside machine. */
export async function a2aServer(): Promise<A2aServer> {
  const uv = await ensureUv(() => {});
  const env = { ...environment(), ...(await uvEnvironment()) };
  const needed = ['--python', '>=3.10,<3.14', ...packages.flatMap((name) => ['--with', name])];
  const python = ['run', '--no-project', '--quiet', ...needed, 'python'];
  // Fetched here, because the outside machine cannot reach the package index.
  await run(uv, [...python, '-c', ''], { env, timeout: 120_000 });

  const machine = await outsideMachine();
  const script = join(import.meta.dirname, 'agents/a2a_server.py');
  const server = machine.spawn([uv, '--offline', ...python, script, machine.address, String(port)], { env });
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
  const ended = once(server, 'close');
  const host = `${machine.address}:${port}`;
  const stop = async () => {
    server.kill();
    await ended;
    await machine.remove();
  };
  const answers = async () =>
    await fetch(`http://${host}/.well-known/agent-card.json`, { signal: AbortSignal.timeout(5000) });
  try {
    await vi.waitFor(answers, { timeout: 90_000, interval: 100 });
  } catch (error) {
    await stop();
    throw new Error(`the A2A server does not answer at ${host}: ${said}`, { cause: error });
  }
  return { host, stop };
}
