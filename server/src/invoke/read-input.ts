import { Problem } from '@gantry/contract/problems.ts';

/** What the wrapper takes by default, too. */
const most_bytes = 10 * 1024 * 1024;

/** The whole body, untouched: the agent gets the bytes that the caller sent. */
export async function readInput(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > most_bytes) throw new Problem('too_large', { detail: 'The input is larger than 10 MB.' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
