// The service on this machine, as a detached child process. Its file `server.pid` identifies it, and a signal stops it. The client never
// loads the server's code.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { server_node_flags } from '@gantry/contract/node-flags.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Config } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { CliRefusal } from '../refusal.ts';
import { announcedServer, type AnnouncedServer } from '../session/server-address.ts';
import type { Session } from '../session/session.ts';
import { installedUnit, processOfUnit, startUnit, stopUnit } from './systemd.ts';
import { verbatim } from '../view/view.ts';
import { places } from '../places-of-files.ts';

/** With absolute paths, for another process that starts the service. */
export const serverCommand = [process.execPath, ...server_node_flags, places.server, 'serve'] as const;
// A first start initialises a database; a stop waits for the calls in flight.
const start_deadline_ms = 90_000;
const ready_ms = 10_000;
const stop_deadline_ms = 120_000;
const one_shot_deadline_ms = 120_000;

export interface RunningServer extends AnnouncedServer {
  url: string;
  /** It answers, but is not ready for a reason that waiting does not change. */
  fault?: Problem;
}

export function logFile(config: Config): string {
  return path.join(config.data_directory, 'server.log');
}

/** For people: systemd keeps the log of its services itself. */
export function logPlace(config: Config): string {
  const unit = installedUnit(config);
  return unit === undefined ? logFile(config) : `journalctl --unit=${unit}`;
}

/** The server that uses the data directory; undefined when the announced process has ended. */
export function findServer(config: Config): AnnouncedServer | undefined {
  const announced = announcedServer(config.data_directory);
  return announced !== undefined && isRunning(announced) ? announced : undefined;
}

/** This process becomes the server. So it gets a supervisor's signals, and the supervisor gets its exit code. */
export function becomeServer({ config }: Session): never {
  const holder = findServer(config);
  if (holder !== undefined)
    throw new CliRefusal('already_running', `The service already runs: process ${holder.pid}`, {
      hint: 'Run `svc server stop` first.',
    });
  if (process.execve === undefined)
    throw new CliRefusal('no_foreground', 'This platform does not support --foreground', {
      hint: 'Run `svc server start`.',
    });
  return process.execve(process.execPath, serverCommand, config.environment);
}

/** Also waits for a server that already runs; then `started` is false. */
export async function startServer(session: Session): Promise<RunningServer & { started: boolean }> {
  const { config } = session;
  const written = logSize(config);
  const holder = findServer(config);
  if (holder !== undefined) {
    const hasEnded = (): boolean => !isRunning(holder);
    return { ...(await waitUntilReady(session, { pid: holder.pid, hasEnded }, written)), started: false };
  }
  const unit = installedUnit(config);
  if (unit !== undefined) {
    await startUnit(unit);
    const pid = await processOfUnit(unit);
    const hasEnded = (): boolean => startedTicks(pid) === undefined;
    return { ...(await waitUntilReady(session, { pid, hasEnded }, written)), started: true };
  }
  const child = spawnDetached(config);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  try {
    return { ...(await waitUntilReady(session, { pid: child.pid, hasEnded }, written)), started: true };
  } catch (error) {
    // Also on Ctrl-C: an unfinished start is stopped.
    child.kill('SIGTERM');
    throw error;
  } finally {
    child.unref();
  }
}

async function waitUntilReady(
  session: Session,
  { pid, hasEnded }: { pid: number | undefined; hasEnded: () => boolean },
  written: number,
): Promise<RunningServer> {
  const { config } = session;
  const deadline = Date.now() + start_deadline_ms;
  while (Date.now() < deadline) {
    session.output.progress(['… ', 'starting the service']);
    if (hasEnded()) throw startFailed(config, written, 'The service ended during its start');
    const announced = findServer(config);
    if (announced?.pid === pid && announced?.url) {
      const answer = await askReady(session, announced.url);
      if (answer === 'ready') return { ...announced, url: announced.url };
      if (answer?.code === 'log_mismatch') return { ...announced, url: announced.url, fault: answer };
    }
    await delay(100, undefined, { signal: session.signal });
  }
  throw startFailed(config, written, `The service was not ready within ${start_deadline_ms / 1000} s`);
}

/** Undefined when none runs; else the stopped process. */
export async function stopServer(session: Session): Promise<AnnouncedServer | undefined> {
  const holder = findServer(session.config);
  if (holder === undefined) return undefined;
  const unit = installedUnit(session.config);
  // After a signal alone systemd would start the service again.
  if (unit !== undefined && (await processOfUnit(unit)) === holder.pid) await stopUnit(unit);
  else terminate(holder.pid);
  const deadline = Date.now() + stop_deadline_ms;
  while (isRunning(holder)) {
    if (Date.now() > deadline) {
      throw new CliRefusal(
        'not_stopped',
        `The service (process ${holder.pid}) has not ended within ${stop_deadline_ms / 1000} s`,
        { hint: 'Run `svc server logs` to see the reason.' },
      );
    }
    session.output.progress(['… ', `stopping process ${holder.pid}`]);
    await delay(100, undefined, { signal: session.signal });
  }
  return holder;
}

/** The service's settings in this environment. */
export async function environmentSettings(session: Session): Promise<Record<string, string>> {
  return JSON.parse(await runServerProgram(session, ['settings'])) as Record<string, string>; // the output of `settings`
}

/** Runs the server's program for one task (`seed`, `reset-admin`) and returns its output. */
export async function runServerProgram(
  session: Session,
  words: readonly string[],
  { stdin = '', onLine }: { stdin?: string; onLine?: (line: string) => void } = {},
): Promise<string> {
  const child = spawn(process.execPath, [places.server, ...words], {
    env: session.config.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    // One that reports what it does may take as long as it needs.
    ...(onLine === undefined ? { timeout: one_shot_deadline_ms } : {}),
    signal: session.signal,
  });
  child.stdin.on('error', () => {}); // it ended without reading it: its exit code says why
  child.stdin.end(stdin);
  let [printed, complained] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    complained += chunk.toString();
    onLine?.(chunk.toString().trim().split('\n').at(-1) ?? '');
  });
  const status = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  if (status === 0) return printed;
  if (words[0] === 'set')
    throw new CliRefusal('setting_refused', complained.trim().replaceAll(/\s*\n\s*/g, ' '), {
      hint: 'All settings: `svc server settings --all`.',
    });
  throw new CliRefusal('server_program_failed', `The service's program failed at \`${words[0] ?? ''}\``, {
    view: [verbatim(complained || printed)],
  });
}

export async function isReady(session: Session, url: string): Promise<boolean> {
  return (await askReady(session, url)) === 'ready';
}

/** The reason why it is not ready; undefined when it does not answer yet. */
export async function askReady(session: Session, url: string): Promise<'ready' | Problem | undefined> {
  try {
    await session.against(url).callWith(undefined, 'service.readyz', {}, { signal: AbortSignal.timeout(ready_ms) });
    return 'ready';
  } catch (error) {
    // Not listening yet: the loop asks again until its deadline.
    return error instanceof Problem ? error : undefined;
  }
}

export function tailOfLog(config: Config, lines: number): string {
  try {
    return readFileSync(logFile(config), 'utf8')
      .split('\n')
      .slice(-lines - 1)
      .join('\n');
  } catch {
    // No log yet: the service never ran here.
    return '';
  }
}

function spawnDetached(config: Config): ChildProcess {
  makeDataDirectory(config.data_directory);
  const log = openSync(logFile(config), 'a', 0o600);
  try {
    return spawn(serverCommand[0], serverCommand.slice(1), {
      detached: true,
      env: config.environment,
      stdio: ['ignore', log, log],
    });
  } finally {
    closeSync(log);
  }
}

/** As the server creates it: other users can pass through to the database's own directory, but cannot list it. */
function makeDataDirectory(directory: string): void {
  const before = process.umask(0);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o711 });
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new CliRefusal('no_data_directory', `The data directory ${directory} cannot be created (${reason})`, {
      hint: 'Set DATA_DIR to another directory.',
    });
  } finally {
    process.umask(before);
  }
}

function logSize(config: Config): number {
  return statSync(logFile(config), { throwIfNoEntry: false })?.size ?? 0;
}

/** With this start's log lines only. */
function startFailed(config: Config, from: number, sentence: string): CliRefusal {
  // A supervisor writes the log elsewhere.
  const wrote = existsSync(logFile(config)) ? readFileSync(logFile(config)).subarray(from).toString() : '';
  return new CliRefusal('start_failed', sentence, {
    exit: exitCodes.unreachable,
    view: [verbatim(wrote.trim().split('\n').slice(-20).join('\n'))],
    hint: `The whole log: ${logPlace(config)}`,
  });
}

/** Another process can have the same id by now, with another start time. */
function isRunning({ pid, started_ticks }: AnnouncedServer): boolean {
  if (process.platform === 'linux' && started_ticks !== undefined && started_ticks !== '')
    return startedTicks(pid) === started_ticks;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs and belongs to another user. Any other error: it has ended.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** proc_pid_stat(5), field 22. The name in parentheses can hold any character, so fields are counted from its end. */
function startedTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; its parent has not collected it yet.
    return state === 'Z' ? undefined : fields[18];
  } catch {
    // No such process.
    return undefined;
  }
}

function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error;
    throw new CliRefusal('not_yours', `The service (process ${pid}) belongs to another user of this machine`, {
      hint: 'Run this as that user.',
    });
  }
}
