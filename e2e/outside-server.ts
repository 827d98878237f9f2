import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { installDebianPackages } from '../setup/debian.js';
import { findExecutable } from '../setup/executable.js';
import { ensureUv, uvEnvironment } from '../setup/python.js';
import { environment } from './config.ts';

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

/**
 * fakellm, a server with the OpenAI protocol that answers by `rules`. Its machine is a network namespace behind an interface outside the
 * engine's, with a public address. To containers it is an outside host, and their traffic passes the same firewall rules.
 */
export async function outsideServer(rules: string): Promise<OutsideServer> {
  // A public address that is not in use: the range of AMT relays (RFC 7450), which our hosts never call. Ranges for documentation or
  // benchmarks are closed to agents.
  const pair = (process.pid % 127) * 2;
  const [here, there] = [`192.52.193.${pair}`, `192.52.193.${pair + 1}`];
  const [machine, cable] = [`gantry-e2e-${process.pid}`, `e2e${process.pid}`];
  const folder = await mkdtemp(join(tmpdir(), 'gantry-outside-'));
  await writeFile(join(folder, 'fakellm.yaml'), rules);
  const uv = await ensureUv(() => {});
  const env = { ...environment(), ...(await uvEnvironment()) };
  // Fetched here, because the namespace cannot reach the package index.
  await run(uv, [...fakellm, '--help'], { env, timeout: 120_000 });

  const program = await ensureIp();
  const ip = async (line: string) => await run(program, line.split(' '), { timeout: 10_000 });
  await ip(`netns add ${machine}`);
  await ip(`link add ${cable} type veth peer name uplink netns ${machine}`);
  // A route to this one address only.
  await ip(`address add ${here} peer ${there} dev ${cable}`);
  await ip(`link set ${cable} up`);
  await ip(`-n ${machine} address add ${there} peer ${here} dev uplink`);
  await ip(`-n ${machine} link set uplink up`);
  const command = [uv, '--offline', ...fakellm, 'serve', '--host', there, '--port', String(port)];
  const server = spawn(program, ['netns', 'exec', machine, ...command], { cwd: folder, env });
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
  const ended = once(server, 'close');

  const url = `http://${there}:${port}`;
  const answered = async () => {
    const stats = await fetch(`${url}/_fakellm/stats`, { signal: AbortSignal.timeout(5000) });
    return ((await stats.json()) as { total_requests: number }).total_requests;
  };
  const stop = async () => {
    server.kill();
    await ended;
    // Removes both ends of the cable with it.
    await ip(`netns delete ${machine}`);
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

/** Interfaces and namespaces need root, like the firewall rules of the other network tests. */
async function ensureIp(): Promise<string> {
  const find = () => findExecutable('ip', [...(environment().PATH ?? '').split(':'), '/usr/sbin', '/sbin']);
  const found = find();
  if (found !== undefined) return found;
  const reason = 'a test needs a machine of its own on the network, and the program `ip` is missing';
  await installDebianPackages({ packages: ['iproute2'], reason, elsewhere: 'Install iproute2.', say: () => {} });
  return find() ?? 'ip';
}
