import type Docker from 'dockerode';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { ask } from '../../../../assets/docker/client.ts';
import { unixTime } from '../../instant.ts';
import { maskedPieces } from '../mask.ts';
import type { LogLine, LogQuery } from '../target.ts';

/** Reads a container's log at the reader's pace: the engine's stream stops while the reader stops. The signal ends it. Masks the values. */
export async function* containerLogs(
  container: Docker.Container,
  { follow = false, since, tail, signal }: Omit<LogQuery, 'secrets'>,
  values: readonly string[],
): AsyncGenerator<LogLine> {
  // With `follow` the client returns a stream, and otherwise the whole log at once. The engine itself gets `_query`.
  const options = {
    follow: true,
    abortSignal: signal,
    _query: {
      stdout: true,
      stderr: true,
      timestamps: true,
      since: since === undefined ? undefined : unixTime(since),
      tail,
      follow,
    },
  } as const;
  const output = await ask(container.logs(options), { signal });
  try {
    yield* lines(output, values);
  } catch (error) {
    // The reader has disconnected, and that ends a follow.
    if (!signal.aborted) throw error;
  } finally {
    if (output instanceof Readable) output.destroy();
  }
}

async function* lines(output: AsyncIterable<string | Buffer>, values: readonly string[]): AsyncGenerator<LogLine> {
  const open = () => ({ unfinished: false, at: '', decoder: new StringDecoder('utf8'), mask: maskedPieces(values) });
  const streams = { stdout: open(), stderr: open() };
  for await (const { stream, entry } of entries(output)) {
    const state = streams[stream];
    const space = entry.indexOf(' ');
    // A cut may split a character. Its other half begins the next entry.
    const text = state.decoder.write(entry.subarray(space + 1));
    const isLast = text.endsWith('\n');
    const line = state.mask(text.replace(/\r?\n$/, ''), isLast);
    state.at = entry.toString('latin1', 0, space);
    // When a line ends exactly at a cut, its last entry has only the line end.
    if (line !== '' || (isLast && !state.unfinished)) yield { at: state.at, stream, line };
    state.unfinished = !isLast;
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    const { at, mask } = streams[stream];
    const line = mask('', true);
    if (line !== '') yield { at, stream, line };
  }
}

/**
 * The engine's multiplexing: a header of eight bytes (stream, three zeros, length), then one log entry with its own time. A line of more
 * than 16,384 bytes comes as several entries with the same time. They are never joined here, because output without a newline would fill
 * the memory.
 */
async function* entries(
  output: AsyncIterable<string | Buffer>,
): AsyncGenerator<{ stream: LogLine['stream']; entry: Buffer }> {
  let buffered: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    buffered = Buffer.concat([buffered, Buffer.from(chunk)]);
    while (buffered.length >= 8 && buffered.length >= 8 + buffered.readUInt32BE(4)) {
      const end = 8 + buffered.readUInt32BE(4);
      yield { stream: buffered[0] === 2 ? 'stderr' : 'stdout', entry: buffered.subarray(8, end) };
      buffered = buffered.subarray(end);
    }
  }
}
