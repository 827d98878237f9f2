import { StringDecoder } from 'node:string_decoder';
import { maskedPieces } from '../mask.ts';
import type { LogLine, LogQuery } from '../target.ts';
import type { Cluster } from './client.ts';
import { container_name } from './objects.ts';

/** A longer line comes in pieces, because output without a line end would fill the memory. */
const most_characters = 16_384;

interface PodLog extends Omit<LogQuery, 'secrets'> {
  pod: string;
  /** Masked in every line. */
  values: readonly string[];
}

/** Reads at the reader's pace. The signal ends it. A cluster does not say which stream a line is of: all are of stdout. */
export async function* podLog(
  cluster: Cluster,
  { pod, values, follow = false, since, tail, signal }: PodLog,
): AsyncGenerator<LogLine> {
  const query = {
    container: container_name,
    timestamps: 'true',
    follow: String(follow),
    ...(since === undefined ? {} : { sinceTime: since }),
    ...(tail === undefined ? {} : { tailLines: String(tail) }),
  };
  const body = await cluster.open(`pods/${encodeURIComponent(pod)}/log`, query, signal);
  if (body === undefined) return;
  try {
    yield* lines(body, values);
  } catch (error) {
    // The reader has gone, and that ends a follow.
    if (!signal.aborted) throw error;
  } finally {
    body.destroy();
  }
}

async function* lines(body: AsyncIterable<Buffer>, values: readonly string[]): AsyncGenerator<LogLine> {
  const decoder = new StringDecoder('utf8');
  const mask = maskedPieces(values);
  let at = '';
  let held = '';
  /** The first piece of a line begins with its time. */
  const piece = (text: string, isLast: boolean): LogLine[] => {
    const space = at === '' ? text.indexOf(' ') : -1;
    if (at === '') at = space === -1 ? text : text.slice(0, space);
    const line = mask(space === -1 && at === text ? '' : text.slice(space + 1), isLast);
    const said: LogLine[] = line !== '' || isLast ? [{ at, stream: 'stdout', line }] : [];
    if (isLast) at = '';
    return said;
  };
  for await (const chunk of body) {
    held += decoder.write(chunk);
    for (let end = held.indexOf('\n'); end !== -1; end = held.indexOf('\n')) {
      yield* piece(held.slice(0, end).replace(/\r$/, ''), true);
      held = held.slice(end + 1);
    }
    if (held.length > most_characters) {
      yield* piece(held, false);
      held = '';
    }
  }
  if (held !== '') yield* piece(held, true);
}
