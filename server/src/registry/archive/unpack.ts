// A packed project is read in a thread of its own: a hostile one takes a core for as long as it may, and nobody else waits for that.
// Promise: it ends with its client, and at the deadline, whatever the archive makes the reader do.
import { Worker } from 'node:worker_threads';
import { readProblem, type Problem, type ProblemDocument } from '@gantry/contract/problems.ts';
import { archiveTooLarge } from './archive-too-large.ts';
import type { PackedArchive } from './receive-archive.ts';

/** What unpack-worker.ts is given. */
export interface Given {
  /** Of the packed archive; descriptors belong to the process, and so to all of its threads. */
  descriptor: number;
}

/** What it answers, once. */
export type Answer = { files: Map<string, Uint8Array> } | { refused: ProblemDocument };

// The largest project takes a few seconds.
const deadline_ms = 60_000;
// Of the reader's own objects: paths and headers. The files' bytes are not in here, and have limits of their own.
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

export interface UnpackLimits {
  deadline_ms?: number;
}

/** The files by their paths. Throws the refusal, or the signal's reason; either way nothing of it goes on. */
export async function unpack(
  { descriptor }: Pick<PackedArchive, 'descriptor'>,
  signal: AbortSignal,
  limits: UnpackLimits = {},
): Promise<Map<string, Uint8Array>> {
  signal.throwIfAborted();
  const deadline = limits.deadline_ms ?? deadline_ms;
  const workerData: Given = { descriptor };
  const thread = new Worker(new URL('unpack-worker.ts', import.meta.url), { workerData, env: {}, resourceLimits });
  const answered = Promise.withResolvers<Answer>();
  thread.on('message', answered.resolve);
  thread.on('error', (error) => answered.reject(isOutOfMemory(error) ? tooMuchMemory() : error));
  thread.on('exit', () => answered.reject(new Error('the thread that unpacks ended without an answer')));
  const leave = () => answered.reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  const timer = setTimeout(() => answered.reject(tooLong(deadline)), deadline);
  try {
    const answer = await answered.promise;
    if ('files' in answer) return answer.files;
    throw readProblem(answer.refused) ?? new Error('the thread that unpacks refused without a reason');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
    await thread.terminate();
  }
}

function tooLong(deadline: number): Problem {
  return archiveTooLarge(`The archive takes more than ${deadline / 1000} s to unpack, which is the most it may take.`);
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooMuchMemory(): Problem {
  return archiveTooLarge('The archive takes more memory to unpack than a project may take.');
}
