// A packed project is read and hashed in a separate thread. A hostile one can occupy a core until the deadline, but delays nobody else. Promise: it
// ends when the client leaves and at the deadline, for every archive.
import { Worker } from 'node:worker_threads';
import type { SkillConfig } from '@gantry/project/asset-config/skill.ts';
import { readProblem, type Problem, type ProblemDocument } from '@gantry/contract/problems.ts';
import type { ManifestFile } from '../content.ts';
import { archiveTooLarge } from './archive-too-large.ts';
import type { PackedArchive } from './receive-archive.ts';
import { places } from '../../../ground/places-of-files.ts';

/** The input of unpack-worker.ts. */
export interface Given {
  /** The descriptor of the packed archive; all threads of the process share its descriptors. */
  descriptor: number;
  /** The name of the skill that the files must be. */
  skill?: string;
}

/** Its single answer. */
export type Answer = (Unpacked & Partial<UnpackedSkill>) | { refused: ProblemDocument };

export interface Unpacked {
  /** By their paths. */
  files: Map<string, Uint8Array>;
  manifest: ManifestFile[];
}

export interface UnpackedSkill extends Unpacked {
  /** The front matter of its SKILL.md. */
  config: SkillConfig;
}

// The largest project takes a few seconds.
const deadline_ms = 60_000;
// For the reader's objects: paths and headers. The files' bytes are outside it and have their own limits.
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

export interface UnpackLimits {
  deadline_ms?: number;
}

/** Throws the refusal, or the signal's reason; the thread ends in both cases. */
export async function unpack(
  { descriptor }: Pick<PackedArchive, 'descriptor'>,
  signal: AbortSignal,
  limits: UnpackLimits = {},
): Promise<Unpacked> {
  return await inThread({ descriptor }, signal, limits);
}

/** The same of a skill, whose files are checked in the thread too. */
export async function unpackSkill(
  { descriptor }: Pick<PackedArchive, 'descriptor'>,
  skill: string,
  signal: AbortSignal,
): Promise<UnpackedSkill> {
  const { config, ...unpacked } = await inThread({ descriptor, skill }, signal, {});
  if (config === undefined) throw new Error('the thread that unpacks did not check the skill');
  return { ...unpacked, config };
}

async function inThread(
  workerData: Given,
  signal: AbortSignal,
  limits: UnpackLimits,
): Promise<Unpacked & Partial<UnpackedSkill>> {
  signal.throwIfAborted();
  const deadline = limits.deadline_ms ?? deadline_ms;
  const thread = new Worker(places.unpack_worker, { workerData, env: {}, resourceLimits });
  const answered = Promise.withResolvers<Answer>();
  thread.on('message', answered.resolve);
  thread.on('error', (error) => answered.reject(isOutOfMemory(error) ? tooMuchMemory() : error));
  thread.on('exit', () => answered.reject(new Error('the thread that unpacks ended without an answer')));
  const leave = () => answered.reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  const timer = setTimeout(() => answered.reject(tooLong(deadline)), deadline);
  try {
    const answer = await answered.promise;
    if ('files' in answer) return answer;
    throw readProblem(answer.refused) ?? new Error('the thread that unpacks refused without a reason');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
    await thread.terminate();
  }
}

function tooLong(deadline: number): Problem {
  return archiveTooLarge(`The archive takes more than ${deadline / 1000} s to unpack, the limit for an archive.`);
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooMuchMemory(): Problem {
  return archiveTooLarge('The archive needs more memory to unpack than the limit allows.');
}
