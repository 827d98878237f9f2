import { Problem } from '@gantry/contract/problems.ts';
import type Docker from 'dockerode';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { packArchive } from './archive.ts';
import { answered, ask, unlessAborted, type Engine } from './client.ts';
import { labelsFor, mark, ownedBy, type RunLabel } from './labels.ts';
import { lineSplitter } from './lines.ts';
import { wasOutOfMemory } from './out-of-memory.ts';

// A sandbox is where everything runs that a user's project can make run: resolving, building source distributions, installing.
// It promises: one command, as nobody in particular, within limits, on a network whose only way out is the package index, ended by
// deadline, signal or limit, and gone afterwards. Never: a capability, the engine's socket, a directory of the host, a secret that
// stays behind. Input files travel over stdin onto a tmpfs, so that an image committed from the sandbox holds none of them.

/** The user that sandboxes and agents run as. */
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
  /** Appear below /tmp/in, on tmpfs. */
  files?: Record<string, string | Uint8Array>;
  /** A network's name; none when absent. */
  network?: string;
  /** Directories of the image's own layer that the command may write; without them the root is read-only. */
  writable_directories?: string[];
  volumes?: SandboxVolume[];
  limits: SandboxLimits;
  run?: RunLabel;
  /** Receives what the command writes to stderr. */
  onLog?: (line: string) => void;
  signal: AbortSignal;
  /** Runs on the stopped container of a command that exited with 0, before it is removed. */
  keep?: (container: Docker.Container, result: SandboxResult) => Promise<void>;
}

export interface SandboxVolume {
  name: string;
  path: string;
  /** The folder in it that the command may write; mounted read-only when absent. */
  writable_folder?: string;
}

export interface SandboxResult {
  exit_code: number;
  stdout: string;
  stderr: string;
}

/** Throws `out_of_memory`, `disk_limit`, `build_failed` (deadline) or the signal's reason; a command that fails is a result. */
export async function runInSandbox(engine: Engine, input: SandboxInput): Promise<SandboxResult> {
  input.signal.throwIfAborted();
  const name = `svc-sandbox-${mark(engine)}-${crypto.randomUUID().slice(0, 8)}`;
  const container = engine.docker.getContainer(name);
  try {
    await ask(engine.docker.createContainer({ name, ...sandboxSpec(engine, input) }), { signal: input.signal });
    await handOver(container, input);
    const result = await execute(engine, container, input);
    if (result.exit_code === 0) await input.keep?.(container, result);
    return result;
  } finally {
    await removeSandbox(container);
  }
}

/** Removes what a killed process of this installation left behind. */
export async function sweepSandboxes(engine: Engine, signal?: AbortSignal): Promise<void> {
  const leftovers = await ask(engine.docker.listContainers({ all: true, filters: ownedBy(engine, 'sandbox') }), {
    signal,
  });
  await Promise.all(leftovers.map(({ Id }) => removeSandbox(engine.docker.getContainer(Id))));
}

function sandboxSpec(engine: Engine, input: SandboxInput): Docker.ContainerCreateOptions {
  const { limits, volumes = [], writable_directories = [] } = input;
  return {
    Image: input.image,
    User: `${sandbox_user}:${sandbox_user}`,
    Entrypoint: [],
    // What is run comes with the files: the engine keeps a container's command and environment in its records, and in the history
    // of an image committed from it.
    Cmd: ['/bin/sh', '-c', `mkdir /tmp/in && tar -x -C /tmp/in && . /tmp/in/${runFile}`],
    WorkingDir: '/tmp',
    OpenStdin: true,
    StdinOnce: true,
    Labels: labelsFor(engine, 'sandbox', input.run),
    HostConfig: {
      NetworkMode: input.network ?? 'none',
      // Names are the proxy's to resolve: the engine's resolver would carry questions, and with them data, to the outside.
      Dns: ['127.0.0.1'],
      ReadonlyRootfs: writable_directories.length === 0,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Init: true,
      Memory: limits.memory_bytes,
      MemorySwap: limits.memory_bytes,
      NanoCpus: Math.round(limits.cpus * 1e9),
      PidsLimit: limits.pids,
      // Held in memory, and counted against the memory limit.
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

/** Gives the command's user the directories it may write; only the engine can, as root. */
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
    // The engine passes over an entry that is the volume's root itself.
    if (writable_folder !== undefined)
      await ask(container.putArchive(packArchive([{ path: writable_folder, owner }]), { path }), { signal });
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
    // The command waits for its files: output that is over by now is a connection that broke. One that breaks later breaks the wait too.
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
    return { exit_code, stdout: output.stdout(), stderr: output.stderr() };
  } finally {
    watching.abort();
    exit.destroy();
  }
}

// The engine answers with its headers at once and with the exit code when there is one. Read as a stream, because the client's own
// `wait` never settles when the connection breaks in between.
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
  // An error is an end like others: a command that exits before it has read its files breaks the pipe, and its exit code tells.
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
  throw new Problem('build_failed', { detail: `It took longer than ${deadline_seconds} s and was ended` });
}

/** The engine has no disk quota on most file systems, so the layer is measured again and again. */
async function watchDisk(
  container: Docker.Container,
  { disk_bytes }: SandboxLimits,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    await delay(1000, undefined, { signal });
    // The one option of inspecting that the types leave out, with the field it adds.
    const { SizeRw = 0 } = (await ask(container.inspect({ size: true } as object), { signal })) as { SizeRw?: number };
    if (SizeRw > disk_bytes)
      throw new Problem('disk_limit', {
        detail: `It wrote more than ${Math.round(disk_bytes / 1e6)} MB and was ended`,
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
    detail: `The build needed more than its ${Math.round(limits.memory_bytes / 1e6)} MB of memory`,
    hint: 'Depend on fewer or smaller packages, or ask an administrator to raise the memory of builds.',
  });
}

const again_after_ms = 5000;

/** Kills it if it still runs. An engine that is down cannot: it is asked again, and the sweep at the next start has the last word. */
async function removeSandbox(container: Docker.Container): Promise<void> {
  try {
    await ask(container.remove({ force: true, v: true }));
  } catch (error) {
    if (answered(error, 404) || answered(error, 409)) return;
    if (!(error instanceof Problem && error.code === 'engine_unavailable')) throw error;
    setTimeout(() => void removeSandbox(container).catch(() => {}), again_after_ms).unref();
  }
}
