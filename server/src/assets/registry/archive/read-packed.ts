import { read } from 'node:fs';
import { promisify } from 'node:util';

const chunk_bytes = 64 * 1024;
const readInto = promisify(read);

/** Its bytes from the start. The descriptor stays open, also for a reader that stops early: a stream would close it for all threads. */
export async function* readPacked(descriptor: number): AsyncGenerator<Buffer> {
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await readInto(descriptor, Buffer.allocUnsafe(chunk_bytes), 0, chunk_bytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
