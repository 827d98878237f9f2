import { Problem } from '@gantry/contract/problems.ts';
import type Docker from 'dockerode';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { packArchive } from '../docker/archive.ts';
import { answered, ask, unlessAborted, type Engine } from '../docker/client.ts';
import { labelsFor, mark, ownedBy, type RunLabel } from '../docker/labels.ts';
import { lineSplitter } from '../docker/lines.ts';
import { wasOutOfMemory } from '../docker/out-of-memory.ts';
import { raiseLimit } from './raise-limit.ts';
import { keepImage, readOutput, type KeptImage, type ReadOutput } from './sandbox-output.ts';

// A sandbox runs all work that a user's project can influence: resolving, building source distributions, installing.
// It promises one command, as an unprivileged user, within limits, on a network with access only to the package index.
// A deadline, a signal or a limit ends it, and then it is removed. It never has a capability, the engine's socket or a directory
// of the host, and it leaves no secret. Input files come over stdin onto a tmpfs, so a committed image has none of them.

/** The user of sandboxes and agents. */
export const sandbox_user = 10001;

export interface SandboxLimits {
  memory_bytes: number;
  cpus: number;
  pids: number;
  disk_bytes: number;
  deadline_seconds: number;
}

export interface SandboxInput {
  image: string;
  command: string[];
  env?: Record<string, string>;
  /** Files below /tmp/in, on tmpfs. */
  files?: Record<string, string | Uint8Array>;
  /** The name of the network. Without it, the sandbox has no network. */
  network?: string;
  /** The writable directories of the image's own layer. Without them the root is read-only. */
  writable_directories?: string[];
  volumes?: SandboxVolume[];
  limits: SandboxLimits;
  run?: RunLabel;
  /** Receives the lines of stderr. */
  onLog?: (line: string) => void;
  signal: AbortSignal;
  /** Read after exit code 0, by path. The files count against the disk limit. */
  outputs?: Record<string, ReadOutput>;
  /** After exit code 0, the sandbox's own layer becomes an image. Throws to refuse the printed text. */
  keep?: (stdout: string) => KeptImage;
}

export interface SandboxVolume {
  name: string;
  path: string;
  /** The writable folder in the volume. Without it, the volume is read-only. */
  writable_folder?: string;
}

export interface SandboxResult {
  exit_code: number;
  stdout: string;
  stderr: string;
  /** The id of the kept image. */
  image?: string;
}

/** Throws `out_of_memory`, `disk_limit`, `build_failed` (deadline, processes) or the signal's reason. A failed command is a result. */
export async function runInSandbox(engine: Engine, input: SandboxInput): Promise<SandboxResult> {
  input.signal.throwIfAborted();
  const name = `svc-sandbox-${mark(engine)}-${crypto.randomUUID().slice(0, 8)}`;
  const container = engine.docker.getContainer(name);
  try {
    await ask(engine.docker.createContainer({ name, ...sandboxSpec(engine, input) }), { signal: input.signal });
    await handOver(container, input);
    const result = await execute(engine, container, input);
    if (result.exit_code !== 0) return result;
    const { outputs = {}, keep, limits, signal } = input;
    for (const [path, read] of Object.entries(outputs))
      await readOutput(container, path, { limit_bytes: limits.disk_bytes, read, signal });
    return keep === undefined ? result : { ...result, image: await keepImage(container, keep(result.stdout), signal) };
  } finally {
    await removeSandbox(container);
  }
}

/** Removes the sandboxes of this installation's killed processes. Of several processes, one that lives may have the younger ones. */
export async function sweepSandboxes(
  engine: Engine,
  { older_than_seconds = 0 }: { older_than_seconds?: number } = {},
  signal?: AbortSignal,
): Promise<void> {
  const leftovers = await ask(engine.docker.listContainers({ all: true, filters: ownedBy(engine, 'sandbox') }), {
    signal,
  });
  // In seconds.
  const latest = Date.now() / 1000 - older_than_seconds;
  const old = leftovers.filter(({ Created }) => older_than_seconds === 0 || Created < latest);
  await Promise.all(old.map(({ Id }) => removeSandbox(engine.docker.getContainer(Id))));
}

function sandboxSpec(engine: Engine, input: SandboxInput): Docker.ContainerCreateOptions {
  const { limits, volumes = [], writable_directories = [] } = input;
  return {
    Image: input.image,
    User: `${sandbox_user}:${sandbox_user}`,
    Entrypoint: [],
    // The command comes with the files. The engine stores a container's command and environment in its records, and in the history of a
    // committed image.
    Cmd: ['/bin/sh', '-c', `mkdir /tmp/in && tar -x -C /tmp/in && . /tmp/in/${runFile}`],
    WorkingDir: '/tmp',
    OpenStdin: true,
    StdinOnce: true,
    Labels: labelsFor(engine, 'sandbox', input.run),
    HostConfig: {
      NetworkMode: input.network ?? 'none',
      // The proxy resolves names: the engine's resolver would carry queries, and data in them, to the outside.
      Dns: ['127.0.0.1'],
      ReadonlyRootfs: writable_directories.length === 0,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      // The engine mounts its init as a file of the layer, with the time of the start. A kept layer depends on no time.
      Init: input.keep === undefined,
      Memory: limits.memory_bytes,
      MemorySwap: limits.memory_bytes,
      NanoCpus: Math.round(limits.cpus * 1e9),
      PidsLimit: limits.pids,
      // In memory, and counted against the memory limit.
      Tmpfs: {
        '/tmp': 'rw,nosuid,nodev,exec,mode=1777',
        '/var/tmp': 'rw,nosuid,nodev,mode=1777,size=64m',
        '/run/lock': 'rw,nosuid,nodev,mode=1777,size=1m',
      },
      Mounts: volumes.map(({ name, path, writable_folder }) => ({
        Type: 'volume',
        Source: name,
        Target: path,
        ReadOnly: writable_folder === undefined,
      })),
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}

const runFile = '.run';

/** The input files and, as a script, the command with its environment. */
function packInput({ command, env, files = {} }: SandboxInput): Buffer {
  const variables = Object.entries({ HOME: '/tmp', LANG: 'C.UTF-8', ...env }).map(
    ([name, value]) => `export ${name}=${quoted(value)}\n`,
  );
  const script = `${variables.join('')}exec ${command.map(quoted).join(' ')}\n`;
  const entries = Object.entries({ ...files, [runFile]: script });
  return packArchive(entries.map(([path, content]) => ({ path, content, mode: 0o600, owner: sandbox_user })));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Makes the command's user the owner of its writable directories. Only the engine can, as root. */
async function handOver(
  container: Docker.Container,
  { writable_directories = [], volumes = [], signal }: SandboxInput,
): Promise<void> {
  const owner = sandbox_user;
  if (writable_directories.length > 0) {
    await ask(
      container.putArchive(packArchive(writable_directories.map((path) => ({ path: path.slice(1), owner }))), {
        path: '/',
      }),
      { signal },
    );
  }
  for (const { path, writable_folder } of volumes) {
    // The engine ignores an entry for the volume's root.
    if (writable_folder === undefined) continue;
    const make = async () =>
      await ask(container.putArchive(packArchive([{ path: writable_folder, owner }]), { path }), { signal });
    await make().catch(async (error: unknown) => {
      // The first two sandboxes of a volume can make its folder at once. The engine then fails for one of them.
      if (!answered(error, 500) || !String(error).includes('file exists')) throw error;
      await make();
    });
  }
}

async function execute(engine: Engine, container: Docker.Container, input: SandboxInput): Promise<SandboxResult> {
  const stream = await ask(container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true }), {
    signal: input.signal,
  });
  const output = collect(engine, stream, input.onLog);
  const exit = await ask(openWait(container), { signal: input.signal });
  const watching = new AbortController();
  try {
    await ask(container.start(), { signal: input.signal });
    // The command waits for its files, so an early end of the output is a broken connection. A later break also breaks the wait.
    if (output.isOver())
      throw new Problem('engine_unavailable', { detail: 'The connection to the container engine broke' });
    stream.end(packInput(input));
    const ended = Promise.race([
      ask(exitCode(exit), { seconds: input.limits.deadline_seconds + 60 }),
      overtime(input.limits, watching.signal),
      watchDisk(container, input.limits, watching.signal),
    ]);
    const exit_code = await unlessAborted(ended, input.signal);
    await ask(output.ended, { seconds: 10, signal: input.signal });
    await refuseOutOfMemory(container, exit_code, input);
    refuseOutOfProcesses(exit_code, output.stderr(), input.limits);
    return { exit_code, stdout: output.stdout(), stderr: output.stderr() };
  } finally {
    watching.abort();
    exit.destroy();
  }
}

// The engine sends its headers at once and the exit code at the end. Read as a stream, because the client's own `wait` never
// settles when the connection breaks in between.
async function openWait(container: Docker.Container): Promise<Readable> {
  const statusCodes = { 200: true, 404: 'no such container', 500: 'server error' };
  const path = `/containers/${container.id}/wait?`;
  const options = { condition: 'next-exit' };
  const { promise, resolve, reject } = Promise.withResolvers<Readable>();
  // Untyped in the client.
  const modem = container.modem as {
    dial(request: object, done: (error: Error | null, response: Readable) => void): void;
  };
  modem.dial({ path, options, method: 'POST', isStream: true, statusCodes }, (error, response) =>
    error === null ? resolve(response) : reject(error),
  );
  return promise;
}

async function exitCode(wait: Readable): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of wait) chunks.push(chunk as Buffer);
  const { StatusCode } = JSON.parse(Buffer.concat(chunks).toString()) as { StatusCode: number }; // ContainerWaitResponse of the engine's API
  return StatusCode;
}

function collect(engine: Engine, stream: NodeJS.ReadWriteStream, onLog: ((line: string) => void) | undefined) {
  const stdout = lineSplitter({ keep_bytes: 16_000_000 });
  const stderr = lineSplitter({ keep_bytes: 256_000, onLine: onLog });
  engine.docker.modem.demuxStream(stream, stdout.stream, stderr.stream);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  // An error is an end too. A command that exits before it reads its files breaks the pipe, and its exit code shows the reason.
  for (const event of ['end', 'close', 'error']) {
    stream.on(event, () => {
      isOver = true;
      stderr.stream.end();
      resolve();
    });
  }
  return { ended, isOver: () => isOver, stdout: stdout.text, stderr: stderr.text };
}

async function overtime({ deadline_seconds }: SandboxLimits, signal: AbortSignal): Promise<never> {
  await delay(deadline_seconds * 1000, undefined, { signal });
  throw new Problem('build_failed', {
    detail: `The sandbox took longer than ${deadline_seconds} s and was stopped`,
    hint: `Try again when the machine is less busy. ${raiseLimit('BUILD_DEADLINE_SECONDS')}`,
  });
}

/** The engine has no disk quota on most file systems, so the size of the layer is polled. */
async function watchDisk(
  container: Docker.Container,
  { disk_bytes }: SandboxLimits,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    await delay(1000, undefined, { signal });
    // The types lack this option and its field.
    const { SizeRw = 0 } = (await ask(container.inspect({ size: true } as object), { signal })) as { SizeRw?: number };
    if (SizeRw > disk_bytes)
      throw new Problem('disk_limit', {
        detail: `The sandbox wrote more than ${megabytes(disk_bytes)} MB and was stopped`,
        hint: `Depend on fewer or smaller packages. ${raiseLimit('BUILD_DISK_MB')}`,
      });
  }
}

async function refuseOutOfMemory(
  container: Docker.Container,
  exitCode: number,
  { limits, signal }: SandboxInput,
): Promise<void> {
  if (exitCode === 0) return;
  const { State } = await ask(container.inspect(), { signal });
  if (!(await wasOutOfMemory(container, State, signal))) return;
  throw new Problem('out_of_memory', {
    detail: `The build needed more than its ${megabytes(limits.memory_bytes)} MB of memory`,
    hint: `Depend on fewer or smaller packages. ${raiseLimit('BUILD_MEMORY_MB')}`,
  });
}

/** The engine does not tell that a command reached its limit of processes. The command's last lines do. */
function refuseOutOfProcesses(exitCode: number, stderr: string, { pids }: SandboxLimits): void {
  if (exitCode === 0 || !noMoreProcesses.test(stderr.slice(-4000))) return;
  throw new Problem('build_failed', {
    detail: `The sandbox reached its limit of ${pids} processes`,
    hint: `Depend on packages that build with fewer processes. ${raiseLimit('BUILD_PROCESSES')}`,
    fields: { output: stderr.trim().slice(-8000) },
  });
}

// The sentences of sh, bash, Python, and of programs that print EAGAIN.
const noMoreProcesses = /Cannot fork|fork: retry|can't start new thread|Resource temporarily unavailable/;

/** As in the settings. */
const megabytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

const again_after_ms = 5000;

/** Kills and removes the container. While the engine is down it tries again, and the sweep at the next start removes the rest. */
async function removeSandbox(container: Docker.Container): Promise<void> {
  try {
    await ask(container.remove({ force: true, v: true }));
  } catch (error) {
    if (answered(error, 404) || answered(error, 409)) return;
    if (!(error instanceof Problem && error.code === 'engine_unavailable')) throw error;
    setTimeout(() => void removeSandbox(container).catch(() => {}), again_after_ms).unref();
  }
}
