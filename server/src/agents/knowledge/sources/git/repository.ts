// A repository in a process of its own. The service makes its requests, with the secret, and gets names and contents of files back.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { KnowledgeBaseConfig } from '@gantry/project/asset-config/knowledge-base.ts';
import { nextMessage } from '../../../../ground/next-message.ts';
import { places } from '../../../../ground/places-of-files.ts';
import { DocumentUnreadable, type SourceContext } from '../source.ts';
import { most_memory_bytes, open_ms, read_ms, start_ms } from './limits.ts';
import type { FromProcess, GitListing, RemoteRequest, ToProcess } from './messages.ts';
import { openRemote, type Remote } from './remote.ts';

type GitConfig = NonNullable<KnowledgeBaseConfig['git']>;

export interface Repository extends GitListing {
  read(oid: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Of the service, those for its own memory are not for this process. */
const execArgv = [...process.execArgv.filter((one) => !/^--(max-|min-|heap-)/.test(one)), '--max-old-space-size=512'];

/** Throws DocumentUnreadable. One read at a time. */
export async function openRepository(git: GitConfig, context: SourceContext): Promise<Repository> {
  const remote = await openRemote(git, context);
  context.signal.throwIfAborted();
  const program = fork(fileURLToPath(places.git_process), [], {
    env: {},
    execArgv,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  program.on('error', () => undefined); // seen as its end
  const stop = () => void program.kill('SIGKILL');
  context.signal.addEventListener('abort', stop);
  const close = async () => {
    context.signal.removeEventListener('abort', stop);
    await end(program);
  };
  const asking = { program, remote, signal: context.signal };
  try {
    await next(asking, start_ms);
    const { repository: url, ref = 'HEAD', folder } = git;
    const said = await ask(asking, { kind: 'open', url, ref, folder }, open_ms);
    if (said.kind !== 'listed') throw new Error(`a list was asked for, and not ${said.kind}`);
    return { ...said.listing, close, read: async (oid) => await readBlob(asking, oid) };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Asking {
  program: ChildProcess;
  remote: Remote;
  signal: AbortSignal;
}

async function readBlob(asking: Asking, oid: string): Promise<Uint8Array> {
  const said = await ask(asking, { kind: 'read', oid }, read_ms);
  if (said.kind !== 'blob') throw new Error(`a file was asked for, and not ${said.kind}`);
  return Buffer.from(said.bytes);
}

/** Until the process has its answer, the service makes its requests. */
async function ask(asking: Asking, message: ToProcess, ms: number): Promise<FromProcess> {
  const ends = Date.now() + ms;
  let said = await next(asking, ms, message);
  while (said.kind === 'request') {
    const over = new AbortController();
    const signal = AbortSignal.any([asking.signal, AbortSignal.timeout(ms), over.signal]);
    const answered = next(asking, Math.max(ends - Date.now(), 1));
    try {
      await Promise.race([answered, relay(asking, said.asked, signal)]);
      said = await answered;
    } catch (error) {
      over.abort();
      await end(asking.program);
      await answered.catch(() => undefined); // it has the same reason, or was ended here
      throw error;
    }
  }
  if (said.kind === 'failed') throw new DocumentUnreadable(said.reason);
  return said;
}

async function relay({ program, remote }: Asking, asked: RemoteRequest, signal: AbortSignal): Promise<void> {
  const { headers, chunks } = await remote.request(asked, signal);
  await send(program, { kind: 'head', headers });
  for await (const bytes of chunks) await send(program, { kind: 'chunk', bytes });
  await send(program, { kind: 'end' });
}

/** When the process has it, so no more than a chunk waits in the memory of the service. A failure is seen as the end of the process. */
async function send(program: ChildProcess, message: ToProcess): Promise<void> {
  await new Promise<void>((resolve) => program.send(message, () => resolve()));
}

async function next({ program, signal }: Asking, deadline_ms: number, message?: ToProcess): Promise<FromProcess> {
  const late = () => new DocumentUnreadable(`it is not read within ${deadline_ms / 1000} s`);
  const ended = () =>
    signal.aborted
      ? (signal.reason as Error)
      : new DocumentUnreadable(`it needs more than ${most_memory_bytes / 1024 ** 2} MB of memory to be unpacked`);
  if (hasEnded(program)) throw ended();
  const answer = nextMessage(program, { deadline_ms, late, ended });
  if (message !== undefined) void send(program, message);
  return (await answer) as FromProcess; // from git-process.ts
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function end(program: ChildProcess): Promise<void> {
  if (hasEnded(program)) return;
  const ended = once(program, 'exit');
  program.kill('SIGKILL');
  await ended;
}
