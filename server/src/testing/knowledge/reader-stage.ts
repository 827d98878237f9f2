// The reader of documents on the machine's engine, in an installation of its own.
import { removeLeftovers } from '../engine-leftovers.ts';
import { testConfig } from '../config.ts';
import { ownedBy } from '../../assets/docker/labels.ts';
import type { Sandboxes } from '../../assets/workshop/sandboxes.ts';
import { testInstallation } from '../../assets/workshop/test-installation.ts';
import type { FileToRead, Reading } from '../../agents/knowledge/reading/document-reader.ts';
import { fileReader, openProgram } from '../../agents/knowledge/reading/read-files.ts';
import type { ReaderProgram } from '../../agents/knowledge/reading/read-batch.ts';

export interface ReaderStage {
  sandboxes: Sandboxes;
  read(...files: FileToRead[]): Promise<Record<string, Reading>>;
  /** For one batch. */
  program(): Promise<ReaderProgram>;
  containers(): Promise<{ State: string }[]>;
  close(): Promise<void>;
}

export async function readerStage(): Promise<ReaderStage> {
  const installation = testInstallation(testConfig());
  // The reader's image is the same in each run of the tests.
  const sandboxes = await installation.open({ shares_images: true });
  const parts = {
    pythons: { sandboxes: async () => await Promise.resolve(sandboxes) },
    images: { hold: async <T>(work: () => Promise<T>) => await work() },
  };
  const signal = AbortSignal.timeout(600_000);
  return {
    sandboxes,
    read: async (...files) => {
      const found: Record<string, Reading> = {};
      for await (const reading of fileReader(parts).read(inTurn(files), { signal })) found[reading.path] = reading;
      return found;
    },
    program: async () => await openProgram(parts, signal),
    containers: async () =>
      await sandboxes.engine.docker.listContainers({ all: true, filters: ownedBy(sandboxes.engine, 'sandbox') }),
    close: async () => {
      await sandboxes.close();
      await removeLeftovers(sandboxes.engine);
    },
  };
}

async function* inTurn<T>(all: readonly T[]): AsyncGenerator<T> {
  for (const one of all) yield await Promise.resolve(one);
}

export function fileToRead(path: string, content: string | Uint8Array, media_type = ''): FileToRead {
  return { path, media_type, bytes: typeof content === 'string' ? Buffer.from(content) : content };
}
