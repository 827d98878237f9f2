// Writes a body to a file without a name. It takes little memory, and a kill leaves no file.
import { randomUUID } from 'node:crypto';
import { mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { projectLimits } from '@gantry/project/agent-project/limits.ts';
import { archiveTooLarge } from './archive-too-large.ts';

export interface PackedArchive extends AsyncDisposable {
  /** Open for reading until disposal. */
  descriptor: number;
}

/** Throws `archive_too_large` past the limit, and the errors of the body or the signal. */
export async function receiveArchive(
  body: AsyncIterable<Uint8Array>,
  { directory, signal }: { directory: string; signal: AbortSignal },
): Promise<PackedArchive> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    let size = 0;
    // A stalled body ends with its signal too.
    for await (const chunk of Readable.from(body, { signal, objectMode: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > projectLimits.packed_bytes) throw tooLarge();
      await file.writeFile(chunk);
    }
  } catch (error) {
    await file.close();
    throw signal.aborted ? signal.reason : error;
  }
  return { descriptor: file.fd, [Symbol.asyncDispose]: async () => await file.close() };
}

function tooLarge(): Error {
  return archiveTooLarge(
    `The archive has more than ${projectLimits.packed_bytes} bytes, the limit for a packed project.`,
  );
}
