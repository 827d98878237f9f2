// Server-sent events of an upstream as bytes, whole events at a time: a client never gets half of one.

const newline = 0x0a;
const carriage_return = 0x0d;

/** Throws when one event exceeds the limit. The rest after the last whole event comes last. */
export async function* wholeEvents(chunks: AsyncIterator<Buffer>, max_bytes: number): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    const bytes = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
    // A blank line that the last search has not seen begins at most three bytes before the new ones.
    const end = endOfEvents(bytes, Math.max(0, held.length - 3));
    if (end > 0) yield bytes.subarray(0, end);
    held = bytes.subarray(end);
    if (held.length > max_bytes) throw new Error('an event exceeds the limit');
  }
  if (held.length > 0) yield held;
}

/** Behind the last blank line; 0 without one. */
function endOfEvents(bytes: Buffer, from: number): number {
  for (let at = bytes.length - 1; at > from; at--) {
    if (bytes[at] !== newline) continue;
    const before = bytes[at - 1] === carriage_return ? at - 2 : at - 1;
    if (before >= 0 && bytes[before] === newline) return at + 1;
  }
  return 0;
}

/** The JSON of each event's data, with the event's bytes. Undefined for `[DONE]`, a comment, and text that is no JSON. */
export function* eventsIn(bytes: Buffer): Generator<{ bytes: string; data: unknown }> {
  for (const event of bytes.toString().split(/(?<=\n\r?\n)/)) {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n');
    yield { bytes: event, data: parsed(data) };
  }
}

function parsed(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // what the client makes of it is the client's affair
  }
}
