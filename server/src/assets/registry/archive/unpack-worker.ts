// The thread of unpack.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { Problem, problemDocument } from '@gantry/contract/problems.ts';
import { manifestOf } from '../content.ts';
import { readArchive } from './read-archive.ts';
import { readPacked } from './read-packed.ts';
import { readSkill } from './read-skill.ts';
import type { Answer, Given } from './unpack.ts';

const { descriptor, skill } = workerData as Given; // from unpack.ts

try {
  const files = await readArchive(readPacked(descriptor));
  answer(
    { files, manifest: manifestOf(files), ...(skill !== undefined && { config: readSkill(files, skill) }) },
    [...files.values()].flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : [])),
  );
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  answer({ refused: problemDocument(error) }, []);
}

function answer(value: Answer, handedOver: ArrayBuffer[]): void {
  parentPort?.postMessage(value, handedOver);
}
