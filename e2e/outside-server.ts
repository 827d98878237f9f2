import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { ensureUv, uvEnvironment } from '../setup/packages/python.js';
import { environment } from './config.ts';
import { outsideMachine } from './outside-machine.ts';

const run = promisify(execFile);
const port = 9999;
// As in wrapper/pyproject.toml.
const fakellm = ['tool', 'run', '--from', 'fakellm==0.3.5', 'fakellm'];

export interface OutsideServer {
  url: string;
  /** The number of answered requests. */
  answered(): Promise<number>;
  stop(): Promise<void>;
}

/** fakellm, a server with the OpenAI protocol that answers by `rules`, on an outside machine. */
export async function outsideServer(rules: string): Promise<OutsideServer> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-outside-'));
  await writeFile(join(folder, 'fakellm.yaml'), rules);
  const uv = await ensureUv(() => {});
  const env = { ...environment(), ...(await uvEnvironment()) };
  // Fetched here, because the namespace cannot reach the package index.
  await run(uv, [...fakellm, '--help'], { env, timeout: 120_000 });

  const machine = await outsideMachine();
  const command = [uv, '--offline', ...fakellm, 'serve', '--host', machine.address, '--port', String(port)];
  const server = machine.spawn(command, { cwd: folder, env });
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
  const ended = once(server, 'close');

  const url = `http://${machine.address}:${port}`;
  const answered = async () => {
    const stats = await fetch(`${url}/_fakellm/stats`, { signal: AbortSignal.timeout(5000) });
    return ((await stats.json()) as { total_requests: number }).total_requests;
  };
  const stop = async () => {
    server.kill();
    await ended;
    await machine.remove();
    await rm(folder, { recursive: true });
  };
  try {
    await vi.waitFor(answered, { timeout: 30_000, interval: 100 });
  } catch (error) {
    await stop();
    throw new Error(`fakellm does not answer at ${url}: ${said}`, { cause: error });
  }
  return { url, answered, stop };
}
