// The output of a container without a terminal, as the engine sends it: frames of a stream number, three zeros, the length of four bytes, and so many
// bytes (Engine API, attach). Frames end anywhere in a chunk.
import type { Readable } from 'node:stream';
import type { Program } from './plugs.ts';

const header_bytes = 8;

/** Ends with the stream. A broken connection is an end too. */
export async function* engineOutput(stream: Readable): Program['output'] {
  let header = Buffer.alloc(0);
  let left = 0;
  let from: 'stdout' | 'stderr' = 'stdout';
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let rest = chunk;
      while (rest.length > 0) {
        if (left === 0) {
          const missing = header_bytes - header.length;
          header = Buffer.concat([header, rest.subarray(0, missing)]);
          rest = rest.subarray(missing);
          if (header.length < header_bytes) break;
          from = header[0] === 2 ? 'stderr' : 'stdout';
          left = header.readUInt32BE(4);
          header = Buffer.alloc(0);
          continue;
        }
        const bytes = rest.subarray(0, left);
        rest = rest.subarray(bytes.length);
        left -= bytes.length;
        yield { from, bytes };
      }
    }
  } catch {
    // The reader asks the engine why it ended.
  }
}
