import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** New lines of a file, until the signal. */
export async function* followFile(file: string, signal: AbortSignal): AsyncGenerator<string> {
  await using handle = await open(file);
  let position = (await handle.stat()).size;
  let rest = '';
  const decoder = new TextDecoder();
  while (!signal.aborted) {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(64 * 1024), position });
    position += bytesRead;
    const lines = (rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (bytesRead === 0) await delay(200);
  }
}
