// Server-sent events of an upstream as bytes, whole events at a time: a client never gets half of one. Bytes pass unchanged, apart from an
// event that carries only usage that the client has not asked for.
import { isJson, type Json, type Wire } from './wires/wire.ts';

const newline = 0x0a;
const carriage_return = 0x0d;

/** Throws when one event exceeds the limit. The rest after the last whole event comes last. */
export async function* wholeEvents(chunks: AsyncIterator<Buffer>, max_bytes: number): AsyncGenerator<Buffer> {
  const held: Buffer[] = [];
  let held_bytes = 0;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    const chunk = next.value;
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

/** The newline there ends a blank line. */
function endsEvent(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== newline) return false;
  const before = bytes[at - 1] === carriage_return ? at - 2 : at - 1;
  return before >= 0 && bytes[before] === newline;
}

export interface ReadEvents {
  /** For the client. */
  bytes: Buffer;
  counts: Json | undefined;
  /** One of them can be an error of the upstream. */
  has_error: boolean;
}

// Nearly every chunk of OpenAI's has `"usage":null`. A quote inside a text of the model has a backslash.
const has_usage = /"usage(?:Metadata)?"\s*:\s*\{|"(?:prompt_)?eval_count"\s*:/;
const has_error = /"error"\s*:\s*[{"]|"type"\s*:\s*"error"/;

/** `counts` are those of the events before. */
export function readEvents(
  events: Buffer,
  { wire, sent, counts }: { wire: Pick<Wire, 'countsIn' | 'isOnlyUsage'>; sent: Json; counts: Json | undefined },
): ReadEvents {
  const text = events.toString('latin1');
  const isError = has_error.test(text);
  if (!has_usage.test(text)) return { bytes: events, counts, has_error: isError };
  let all = counts;
  const passed = [...eventsIn(events)].filter((event) => {
    const data = dataOf(event);
    if (data === undefined) return true;
    const found = wire.countsIn(data);
    if (found === undefined) return true;
    all = { ...all, ...withoutNulls(found) };
    return !wire.isOnlyUsage(data, sent);
  });
  return { bytes: Buffer.concat(passed), counts: all, has_error: isError };
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

/** Undefined for `[DONE]`, a comment, and text that is no JSON: the client reads it as it likes. */
export function dataOf(event: Buffer): Json | undefined {
  const data = textOfData(event);
  if (!data.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return isJson(value) ? value : undefined;
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

// In Anthropic's last event, null stands for a count that the first one gave.
function withoutNulls(counts: Json): Json {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== null));
}
