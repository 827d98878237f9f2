// @ts-check
/**
 * The programs of a cluster. They outlive their caller, and carry its folder in their environment: by that they are found again, also
 * after the caller was killed. What containerd starts has the same environment.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tail } from '../command.js';
import { outsideEnvironment } from '../config.js';

/** @import { Cluster } from './layout.js' */

const mark = 'GANTRY_KUBERNETES';
const most_wait_ms = 10_000;

/**
 * @param {Cluster} cluster
 * @param {{ name: string, argv: string[], namespace?: string }} daemon
 */
export function startDaemon(cluster, { name, argv, namespace }) {
  mkdirSync(cluster.logs, { recursive: true });
  const log = openSync(logOf(cluster, name), 'a');
  // `ip netns exec` would mount /sys anew and hide the cgroups.
  const [program = '', ...args] = namespace ? ['nsenter', `--net=/run/netns/${namespace}`, ...argv] : argv;
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: outsideEnvironment({ [mark]: cluster.folder }),
  });
  child.on('error', (error) => console.error(`${name}: ${error.message}`));
  child.unref();
  closeSync(log);
}

/** @param {Cluster} cluster @param {string} name */
export function endOfLog(cluster, name) {
  const path = logOf(cluster, name);
  return `${name}: ${existsSync(path) ? tail(readFileSync(path, 'utf8'), 10) : 'has no log'}`;
}

/** Kills all programs of the cluster and the processes of its containers, and waits until they are gone. @param {Cluster} cluster */
export async function killDaemons(cluster) {
  const last = performance.now() + most_wait_ms;
  for (;;) {
    const alive = [...processesOf(cluster), ...processesIn(cluster)];
    if (alive.length === 0) return;
    if (performance.now() > last) throw new Error(`the processes ${alive.join(', ')} of ${cluster.folder} do not end`);
    for (const pid of alive) kill(pid);
    await sleep(50);
  }
}

/** The folders of the cluster's cgroup, one per hierarchy. @param {Cluster} cluster */
export function cgroupsOf(cluster) {
  const root = '/sys/fs/cgroup';
  const hierarchies = readdirSync(root).filter((name) => existsSync(join(root, name, 'cgroup.procs')));
  return hierarchies.map((name) => join(root, name, cluster.name));
}

/** @param {Cluster} cluster @param {string} name */
function logOf(cluster, name) {
  return join(cluster.logs, `${name}.log`);
}

/** @param {Cluster} cluster @returns {number[]} */
function processesOf(cluster) {
  const marked = `${mark}=${cluster.folder}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => (readProcess(`/proc/${pid}/environ`) ?? '').split('\0').includes(marked))
    .map(Number);
}

/** @param {Cluster} cluster @returns {number[]} */
function processesIn(cluster) {
  const files = cgroupsOf(cluster)
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('/cgroup.procs'));
  const pids = files.flatMap((path) => (readProcess(path) ?? '').split('\n').filter(Boolean).map(Number));
  return [...new Set(pids)].filter((pid) => !isZombie(pid));
}

/** @param {number} pid */
function isZombie(pid) {
  return /^State:\s+Z/m.test(readProcess(`/proc/${pid}/status`) ?? 'State: Z');
}

/** A process that has ended meanwhile has no files. @param {string} path */
function readProcess(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
