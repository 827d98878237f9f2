import { Problem } from '@gantry/contract/problems.ts';

/** What the wrapper takes by default, too. */
const most_bytes = 10 * 1024 * 1024;

/** The whole body, untouched: the agent gets the bytes that the caller sent. */
export async function readInput({
  body,
  headers,
}: {
  body: ReadableStream<Uint8Array>;
  headers: Headers;
}): Promise<Buffer> {
  if (Number(headers.get('content-length') ?? 0) > most_bytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most_bytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(): Problem {
  return new Problem('too_large', { detail: `The input is larger than ${most_bytes / 1024 ** 2} MB.` });
}
