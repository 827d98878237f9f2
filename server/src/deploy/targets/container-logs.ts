import type Docker from 'dockerode';
import { Readable } from 'node:stream';
import { ask } from '../../engine/client.ts';
import type { LogLine, LogQuery } from './target.ts';

/** Reads a container's log at the reader's pace: a reader that stops reading stops the engine's stream. Ends when the signal does. */
export async function* containerLogs(
  container: Docker.Container,
  { follow = false, since, tail, signal }: LogQuery,
): AsyncGenerator<LogLine> {
  const options = {
    stdout: true,
    stderr: true,
    timestamps: true,
    since: since === undefined ? undefined : unixTime(since),
    tail,
    abortSignal: signal,
  };
  // Two overloads: the whole log at once, or a stream.
  const output = follow
    ? await ask(container.logs({ ...options, follow: true }), { signal })
    : [await ask(container.logs({ ...options, follow: false }), { signal })];
  try {
    yield* lines(output);
  } catch (error) {
    // The reader hung up, which is how following ends.
    if (!signal.aborted) throw error;
  } finally {
    if (output instanceof Readable) output.destroy();
  }
}

async function* lines(output: AsyncIterable<string | Buffer> | Iterable<Buffer>): AsyncGenerator<LogLine> {
  const rest = { stdout: '', stderr: '' };
  for await (const { stream, text } of frames(output)) {
    const parts = (rest[stream] + text).split('\n');
    rest[stream] = parts.pop() ?? '';
    for (const part of parts) yield logLine(stream, part);
  }
  for (const stream of ['stdout', 'stderr'] as const) if (rest[stream] !== '') yield logLine(stream, rest[stream]);
}

/** The engine's multiplexing: a header of eight bytes (stream, three zeros, length), then so many bytes. */
async function* frames(
  output: AsyncIterable<string | Buffer> | Iterable<Buffer>,
): AsyncGenerator<{ stream: LogLine['stream']; text: string }> {
  let buffered: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    buffered = Buffer.concat([buffered, Buffer.from(chunk)]);
    while (buffered.length >= 8 && buffered.length >= 8 + buffered.readUInt32BE(4)) {
      const end = 8 + buffered.readUInt32BE(4);
      // A frame is one entry of the log, so characters are whole unless the agent wrote a line of more than 16 KB.
      yield { stream: buffered[0] === 2 ? 'stderr' : 'stdout', text: buffered.toString('utf8', 8, end) };
      buffered = buffered.subarray(end);
    }
  }
}

function logLine(stream: LogLine['stream'], text: string): LogLine {
  const space = text.indexOf(' ');
  return { at: text.slice(0, space), stream, line: text.slice(space + 1).replace(/\r$/, '') };
}

function unixTime(at: string): number {
  return Math.floor(Date.parse(at) / 1000);
}
