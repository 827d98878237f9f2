import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { promisify } from 'node:util';
import { installDebianPackages } from '../setup/packages/debian.js';
import { findExecutable } from '../setup/executable.js';
import { environment } from './config.ts';

const run = promisify(execFile);

export interface OutsideMachine {
  address: string;
  spawn(command: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv }): ChildProcessWithoutNullStreams;
  /** Its processes must have ended. */
  remove(): Promise<void>;
}

/**
 * A network namespace behind an interface outside the engine's, with a public address. To containers it is an outside host, and their
 * traffic passes the same firewall rules.
 */
export async function outsideMachine(): Promise<OutsideMachine> {
  // A public address that is not in use: the range of AMT relays (RFC 7450), which our hosts never call. Ranges for documentation or
  // benchmarks are closed to agents.
  const pair = (process.pid % 127) * 2;
  const [here, there] = [`192.52.193.${pair}`, `192.52.193.${pair + 1}`];
  const [machine, cable] = [`gantry-e2e-${process.pid}`, `e2e${process.pid}`];
  const program = await ensureIp();
  const ip = async (line: string) => await run(program, line.split(' '), { timeout: 10_000 });
  await ip(`netns add ${machine}`);
  await ip(`link add ${cable} type veth peer name uplink netns ${machine}`);
  // A route to this one address only.
  await ip(`address add ${here} peer ${there} dev ${cable}`);
  await ip(`link set ${cable} up`);
  await ip(`-n ${machine} address add ${there} peer ${here} dev uplink`);
  await ip(`-n ${machine} link set uplink up`);
  return {
    address: there,
    spawn: (command, options) => spawn(program, ['netns', 'exec', machine, ...command], options),
    // Removes both ends of the cable with it.
    remove: async () => void (await ip(`netns delete ${machine}`)),
  };
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
