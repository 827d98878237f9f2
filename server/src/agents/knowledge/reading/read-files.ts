// The reader of documents. Texts are read here; every other file is read in a container, some at a time.
import type { Builder } from '../../deploy/build/build-image.ts';
import { readPackageFiles } from '../../../assets/images/package-files.ts';
import type { Pythons } from '../../../assets/workshop/pythons/pythons.ts';
import { places } from '../../../ground/places-of-files.ts';
import type { DocumentReader, FileToRead, Reading } from './document-reader.ts';
import { kindOf } from './kinds.ts';
import { readBatch, type FileLimits, type KnownFile, type ReaderProgram } from './read-batch.ts';
import { ensureReaderImage } from './reader-image.ts';
import { readText } from './read-text.ts';

interface Parts {
  pythons: Pick<Pythons, 'sandboxes'>;
  /** No image is removed while this one is made. */
  images: Pick<Builder, 'hold'>;
}

const limits: FileLimits = { seconds: 100, memory_bytes: 768 * 1024 ** 2 };
const most_files = 50;
const most_bytes = 32 * 1024 * 1024;

/** A base of texts alone needs no container engine. */
export function fileReader(parts: Parts): DocumentReader {
  return {
    read: async function* (files, { signal }) {
      let waiting: KnownFile[] = [];
      let bytes = 0;
      for await (const file of files) {
        signal.throwIfAborted();
        const kind = kindOf(file);
        if (kind === undefined || kind === 'text') {
          yield kind === undefined ? refuseKind(file) : readText(file);
          continue;
        }
        if (waiting.length === most_files || (waiting.length > 0 && bytes + file.bytes.length > most_bytes)) {
          yield* readAll(parts, waiting, signal);
          [waiting, bytes] = [[], 0];
        }
        waiting.push({ ...file, kind });
        bytes += file.bytes.length;
      }
      if (waiting.length > 0) yield* readAll(parts, waiting, signal);
    },
  };
}

async function* readAll(parts: Parts, files: readonly KnownFile[], signal: AbortSignal): AsyncGenerator<Reading> {
  const program = await openProgram(parts, signal);
  let left = files;
  while (left.length > 0) {
    const answers = await readBatch(program, left, signal);
    for (const [position, { path }] of left.slice(0, answers.length).entries()) {
      const answer = answers[position];
      if (answer !== undefined) yield { path, ...answer };
    }
    left = left.slice(answers.length);
  }
}

/** Asked for each batch, because a prune or another base image can have taken the image. */
export async function openProgram({ pythons, images }: Parts, signal: AbortSignal): Promise<ReaderProgram> {
  const { files, lock } = await readPackageFiles(places.reader);
  const sandboxes = await pythons.sandboxes();
  const image = await images.hold(async () => await ensureReaderImage(sandboxes, lock, signal));
  return { engine: sandboxes.engine, image, files, limits };
}

function refuseKind({ path, media_type }: FileToRead): Reading {
  return { path, problem: `${media_type.slice(0, 100) || 'its type'} is no type that is read` };
}
