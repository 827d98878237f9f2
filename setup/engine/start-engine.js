// @ts-check
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, tail } from '../command.js';
import { outsideEnvironment } from '../config.js';
import { SetupProblem } from '../step.js';

const poll_ms = 250;

/** The writer of each file; the second comes from the container runtime that the engine starts. */
const ownPidFiles = [
  { path: '/var/run/docker.pid', program: 'dockerd' },
  { path: '/var/run/docker/containerd/containerd.pid', program: 'containerd' },
];

/**
 * Starts the installed engine, with systemd where it runs, else as a detached process, and waits until it answers.
 *
 * @param {{
 *   dockerd: string, args?: string[], logFile: string, answers: () => Promise<boolean>, deadline_seconds: number,
 *   pidFiles?: { path: string, program: string }[],
 * }} order
 * @returns {Promise<number | undefined>} the process id, where this started it itself
 */
export async function startEngine({ dockerd, args = [], logFile, answers, deadline_seconds, pidFiles = ownPidFiles }) {
  if (existsSync('/run/systemd/system') && args.length === 0) {
    await startBySystemd();
    await waitFor({ answers, deadline_seconds, log: () => 'journalctl -u docker shows why' });
    return undefined;
  }
  for (const { path, program } of pidFiles) removeStalePidFile(path, program);
  const pid = startDetached([dockerd, ...args], logFile);
  const log = () => `${logFile} ends with\n${tail(readFileSync(logFile, 'utf8'), 10)}`;
  await waitFor({ answers, deadline_seconds, log });
  return pid;
}

/**
 * After a crash or a reboot the file may name a process id that now belongs to another program; the engine would then refuse to start.
 * The file is removed only when its process is certainly another program.
 *
 * @param {string} path
 * @param {string} program
 * @param {(pid: number) => string | undefined} nameOfProcess undefined when no such process runs
 * @returns {boolean} whether the file was removed
 */
export function removeStalePidFile(path, program, nameOfProcess = nameFromProc) {
  if (!existsSync(path)) return false;
  const pid = Number(readFileSync(path, 'utf8').trim());
  if (Number.isInteger(pid) && pid > 0 && nameOfProcess(pid) === program) return false;
  rmSync(path, { force: true });
  return true;
}

/** @param {number} pid */
function nameFromProc(pid) {
  const path = `/proc/${pid}/comm`;
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

async function startBySystemd() {
  const { exit_code, output } = await runCommand(['systemctl', 'start', 'docker'], { timeout_seconds: 90 });
  if (exit_code === 0) return;
  throw new SetupProblem({
    cause: `systemctl start docker ended with exit code ${exit_code}\n${tail(output)}`,
    fix: 'journalctl -u docker shows why the engine does not start.',
  });
}

/** @param {string[]} argv @param {string} logFile */
function startDetached([program = '', ...args], logFile) {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a', 0o600);
  const environment = outsideEnvironment();
  // The engine looks for iptables and its runtime there; a user's PATH may lack these folders.
  const PATH = `${environment['PATH'] ?? ''}:/usr/sbin:/sbin`;
  const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log], env: { ...environment, PATH } });
  child.on('error', () => {}); // the wait below fails, with the log
  child.unref();
  closeSync(log);
  return child.pid;
}

/** @param {{ answers: () => Promise<boolean>, deadline_seconds: number, log: () => string }} order */
async function waitFor({ answers, deadline_seconds, log }) {
  const deadline = performance.now() + deadline_seconds * 1000;
  while (performance.now() < deadline) {
    if (await answers()) return;
    await sleep(poll_ms);
  }
  throw new SetupProblem({
    cause: `the container engine was started and did not answer within ${deadline_seconds} s; ${log()}`,
    fix: 'Fix the faults in its log, then run this again.',
  });
}
