// A body of one line of JSON and then of bytes: states of threads are no JSON, and base64 would cost a third of them. The JSON says how long
// each part is, and the parts follow in that order.
import { Problem } from '@gantry/contract/problems.ts';
import { parseJson } from '../../governance/http/request/body.ts';

/** The longest first line. A checkpoint names its channels and versions there. */
const max_head_bytes = 4 * 1024 * 1024;

/** The parts of a body, in their order. */
export interface FrameReader {
  head: unknown;
  /** The next part. Throws `malformed` when the body is shorter. */
  take: (size: number) => Buffer;
  /** What is left. */
  rest: () => Buffer;
  /** Throws `malformed` when bytes are left. */
  end: () => void;
}

/** Throws `malformed`. */
export function readFrames(body: Uint8Array): FrameReader {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const end_of_head = bytes.subarray(0, max_head_bytes).indexOf(0x0a);
  if (end_of_head < 0) throw malformed('The body has no first line.');
  let at = end_of_head + 1;
  return {
    head: parseJson(bytes.subarray(0, end_of_head)),
    take: (size) => {
      if (size > bytes.length - at) throw malformed('The body is shorter than its first line says.');
      const part = bytes.subarray(at, at + size);
      at += size;
      return part;
    },
    rest: () => bytes.subarray(at),
    end: () => {
      if (at < bytes.length) throw malformed('The body is longer than its first line says.');
    },
  };
}

export function writeFrames(head: unknown, parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...parts]);
}

export function malformed(detail: string): Problem {
  return new Problem('malformed', { detail });
}
