// Some files in one container without a network. In it, each file has a process of its own, so a bomb ends one file (reader/_svc_reader). What the
// container prints is hostile: a reader that was taken over may print anything.
import { Problem } from '@gantry/contract/problems.ts';
import { z } from 'zod';
import type { Engine } from '../../../assets/docker/client.ts';
import { runInSandbox, type SandboxLimits } from '../../../assets/workshop/sandbox.ts';
import type { FileToRead, ReadDocument } from './document-reader.ts';

export interface ReaderProgram {
  engine: Engine;
  image: string;
  /** The Python package, by path. */
  files: ReadonlyMap<string, Uint8Array>;
  limits: FileLimits;
}

/** For each file. `seconds` of the processor; twice as long by the clock. */
export interface FileLimits {
  seconds: number;
  memory_bytes: number;
}

export interface KnownFile extends FileToRead {
  kind: string;
}

type Answer = { read: ReadDocument } | { problem: string };

const most_text_bytes = 10_000_000;
/** Of a title, or of a refusal. */
const most_characters = 500;

/**
 * The answers for the first of the files, at least for one. The container may have no time for the others.
 * Throws a `Problem` that is no matter of a file, such as `engine_unavailable`.
 */
export async function readBatch(
  program: ReaderProgram,
  files: readonly KnownFile[],
  signal: AbortSignal,
): Promise<Answer[]> {
  try {
    return await runReader(program, files, signal);
  } catch (error) {
    const end = endOf(error);
    if (end === undefined) throw error;
    // The whole container has ended. Alone, each file ends only itself.
    return files.length === 1
      ? [{ problem: sayEnd(end, program.limits) }]
      : await readBatch(program, files.slice(0, 1), signal);
  }
}

type End = 'time' | 'memory' | 'crash';

function endOf(error: unknown): End | undefined {
  if (error instanceof ReaderEnded) return 'crash';
  if (!(error instanceof Problem)) return undefined;
  if (error.code === 'out_of_memory') return 'memory';
  // The deadline, or the limit of processes.
  return error.code === 'build_failed' ? 'time' : undefined;
}

function sayEnd(end: string, { seconds, memory_bytes }: FileLimits): string {
  if (end === 'time') return `it takes longer than ${seconds} s to read`;
  if (end === 'memory') return `it takes more than ${Math.round(memory_bytes / 1024 ** 2)} MB of memory to read`;
  return 'the program that reads it crashed';
}

class ReaderEnded extends Error {}

async function runReader(
  { engine, image, files: code, limits }: ReaderProgram,
  files: readonly KnownFile[],
  signal: AbortSignal,
): Promise<Answer[]> {
  const { exit_code, stdout, stderr } = await runInSandbox(engine, {
    image,
    command: ['/opt/venv/bin/python', '-s', '-B', '-m', '_svc_reader'],
    env: { PYTHONPATH: '/tmp/in' },
    files: {
      'work.json': JSON.stringify({ kinds: files.map(({ kind }) => kind), limits }),
      ...Object.fromEntries([...code].map(([path, bytes]) => [`_svc_reader/${path}`, bytes])),
      ...Object.fromEntries(files.map(({ bytes }, number) => [`files/${number}`, bytes])),
    },
    limits: containerLimits(limits),
    signal,
  });
  // The last line may be cut.
  const [first, ...lines] = stdout.split('\n').slice(0, -1);
  // It has not begun, so the files are not the reason.
  if (first !== 'ready') throw new Error(`the reader of documents does not start: ${stderr.slice(-2000)}`);
  const answers = lines.slice(0, files.length).map((line, position) => readLine(line, position, limits));
  if (answers.length === 0) throw new ReaderEnded(`exit code ${exit_code}`);
  return answers;
}

/** More than the program gives a file: room for the program itself, the files and the answers. */
function containerLimits({ seconds, memory_bytes }: FileLimits): SandboxLimits {
  return {
    memory_bytes: memory_bytes + 256 * 1024 ** 2,
    cpus: 1,
    pids: 64,
    disk_bytes: 1_000_000,
    deadline_seconds: 6 * seconds + 60,
  };
}

const headSchema = z.union([
  z.strictObject({ problem: z.string().max(most_characters) }),
  z.strictObject({ title: z.string().max(most_characters).optional(), pages: z.int().min(0).max(2000).optional() }),
]);

/** `<number> <end> <base64>`; the answer is a line of JSON, and the text. */
function readLine(line: string, position: number, limits: FileLimits): Answer {
  const [number, end = '', encoded = ''] = line.split(' ');
  if (number !== String(position)) throw new Error('the reader of documents answers in another order');
  const answer = end === 'done' ? readAnswer(Buffer.from(encoded, 'base64')) : undefined;
  return answer ?? { problem: sayEnd(end, limits) };
}

function readAnswer(answer: Buffer): Answer | undefined {
  const at = answer.indexOf('\n');
  if (at === -1 || answer.length - at - 1 > most_text_bytes) return undefined;
  try {
    const head = headSchema.parse(JSON.parse(answer.toString('utf8', 0, at)));
    if ('problem' in head) return head;
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(answer.subarray(at + 1));
    return text.includes('\0') ? undefined : { read: { ...head, text } };
  } catch {
    // Not what the reader prints.
    return undefined;
  }
}
