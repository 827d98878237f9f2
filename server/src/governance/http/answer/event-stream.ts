// Server-sent events, for every stream of the service. Bytes that pass are cut at the ends of events, so a reader never gets half of one. No
// stream is silent for longer than 15 s: proxies and load balancers close a quiet connection, often after a minute.
import { printServerSentEvent } from '@gantry/contract/formats/server-sent-events.ts';
import { within } from '../../../ground/within.ts';
import type { Reply } from './reply.ts';

type Json = Readonly<Record<string, unknown>>;

const keepalive_ms = 15_000;

export function eventStream(body: AsyncIterable<string | Uint8Array>, headers: Record<string, string> = {}): Reply {
  const own = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
  return { status: 200, headers: { ...own, ...headers }, body };
}

/** The same reply; a stream of events gets comments while it is silent. */
export function keptOpen(reply: Reply): Reply {
  const { body, headers } = reply;
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return reply;
  if (headers['content-type']?.startsWith('text/event-stream') !== true) return reply;
  return { ...reply, body: withKeepalives(body) };
}

/**
 * The reader pulls it, so a slow reader delays only itself. The chunks are whole events: a comment between two of them is no part of either.
 * The signal ends it at once.
 */
export async function* withKeepalives<T extends string | Uint8Array>(
  chunks: AsyncIterable<T>,
  signal?: AbortSignal,
): AsyncGenerator<T | string> {
  const reading = chunks[Symbol.asyncIterator]();
  let next = reading.next();
  try {
    for (;;) {
      const came = await within(keepalive_ms, next, signal);
      if (signal?.aborted === true || came?.done === true) return;
      yield came === undefined ? ': keepalive\n\n' : came.value;
      if (came !== undefined) next = reading.next();
    }
  } finally {
    next.catch(() => {}); // a failure has been thrown above; after a reader who left, nobody needs it
    const ended = reading.return?.();
    // The pending read may take long, and its result is no longer needed.
    if (signal?.aborted === true) ended?.catch(() => {});
    else await ended;
  }
}

export function printEvent(event: Json): string {
  return printServerSentEvent({ data: JSON.stringify(event) });
}

const newline = 0x0a;
const carriage_return = 0x0d;

/** Throws when one event exceeds the limit. The rest after the last whole event comes last. */
export async function* wholeEvents(chunks: AsyncIterable<Buffer>, max_bytes: number): AsyncGenerator<Buffer> {
  const held: Buffer[] = [];
  let held_bytes = 0;
  for await (const chunk of chunks) {
    // A blank line whose end is new begins at most three bytes before.
    const before = Buffer.concat(held.slice(-3)).subarray(-3);
    const end = endOfEvents(joined([before, chunk])) - before.length;
    if (end > 0) yield joined([...held.splice(0), chunk.subarray(0, end)]);
    const rest = end > 0 ? chunk.subarray(end) : chunk;
    if (rest.length > 0) held.push(rest);
    held_bytes = (end > 0 ? 0 : held_bytes) + rest.length;
    if (held_bytes > max_bytes) throw new Error('an event exceeds the limit');
  }
  if (held.length > 0) yield joined(held);
}

/** Most chunks are whole events, and are not copied. */
function joined(parts: readonly Buffer[]): Buffer {
  const [only, ...others] = parts.filter(({ length }) => length > 0);
  return only !== undefined && others.length === 0 ? only : Buffer.concat(parts);
}

/** Behind the last blank line; 0 without one. */
function endOfEvents(bytes: Buffer): number {
  for (let at = bytes.length - 1; at > 0; at--) if (endsEvent(bytes, at)) return at + 1;
  return 0;
}

/** The newline there ends a blank line. A line ends with LF or CRLF. */
function endsEvent(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== newline) return false;
  const before = bytes[at - 1] === carriage_return ? at - 2 : at - 1;
  return before >= 0 && bytes[before] === newline;
}

export function* eventsIn(bytes: Buffer): Generator<Buffer> {
  let start = 0;
  for (let at = 1; at < bytes.length; at++) {
    if (!endsEvent(bytes, at)) continue;
    yield bytes.subarray(start, at + 1);
    start = at + 1;
  }
  if (start < bytes.length) yield bytes.subarray(start);
}

/** Undefined for `[DONE]`, a comment, and text that is no JSON object: the client reads it as it likes. */
export function dataOf(event: Buffer): Json | undefined {
  const data = textOfData(event);
  if (!data.startsWith('{')) return undefined;
  try {
    return JSON.parse(data) as Json; // what begins with a brace is an object
  } catch {
    return undefined;
  }
}

/** Empty for an event without data. */
export function textOfData(event: Buffer): string {
  return event
    .toString()
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n');
}
