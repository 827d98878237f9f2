import { Problem } from '@gantry/contract/problems.ts';
import { within } from '../../../ground/within.ts';

/** The minimum of a sender in each window. Time without a reader does not count. */
export interface LeastRate {
  bytes_per_second: number;
  window_ms: number;
}

/** A modem's rate is enough. A sender of a byte now and then would hold the reader's resources until its time limit. */
export const leastRate: LeastRate = { bytes_per_second: 8000, window_ms: 10_000 };

/** The same bytes; throws `request_timeout` when they come too slowly. */
export function steadyBody(body: ReadableStream<Uint8Array>, rate: LeastRate = leastRate): ReadableStream<Uint8Array> {
  return ReadableStream.from(steadily(body.getReader(), rate));
}

async function* steadily(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { bytes_per_second, window_ms }: LeastRate,
): AsyncGenerator<Uint8Array> {
  const least_bytes = (bytes_per_second * window_ms) / 1000;
  let [left_ms, bytes] = [window_ms, 0];
  try {
    for (let next = reader.read(); ;) {
      const asked_at = performance.now();
      const came = await within(left_ms, next);
      left_ms -= performance.now() - asked_at;
      if (came?.done === true) return;
      bytes += came?.value.length ?? 0;
      if (came === undefined || left_ms <= 0) {
        if (bytes < least_bytes) throw tooSlow(bytes_per_second);
        [left_ms, bytes] = [window_ms, 0];
      }
      if (came === undefined) continue;
      yield came.value;
      next = reader.read();
    }
  } finally {
    // The rest of the body is not read any more.
    reader.cancel().catch(() => {});
  }
}

export function tooSlow(bytes_per_second: number): Problem {
  return new Problem('request_timeout', {
    detail: `The body arrives at less than ${bytes_per_second} bytes a second.`,
    hint: 'Send it over a faster line, or leave out files that the agent does not need at run time.',
  });
}
