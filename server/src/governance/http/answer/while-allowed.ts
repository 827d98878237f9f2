// A stream runs for hours, and its reader may lose the right to it meanwhile. Promise: each item is authorized again before it is sent, and
// a quiet stream every few seconds. A refusal ends the stream. A decision holds for one second.
import { within } from '../../../ground/within.ts';

export interface Deciding {
  /** Throws the refusal. */
  decide: () => Promise<unknown>;
  signal: AbortSignal;
}

const fresh_ms = 1000;
const quiet_ms = 5000;

/** `open` makes the first decision, so that a refusal is a normal answer. Its signal ends the opened stream. */
export async function whileAllowed<Event>(
  { decide, signal }: Deciding,
  open: (signal: AbortSignal) => Promise<AsyncIterable<Event>>,
): Promise<AsyncIterable<Event>> {
  const ended = new AbortController();
  const events = await open(AbortSignal.any([signal, ended.signal]));
  return read(events[Symbol.asyncIterator](), decide, ended);
}

async function* read<Event>(
  events: AsyncIterator<Event>,
  decide: () => Promise<unknown>,
  ended: AbortController,
): AsyncGenerator<Event> {
  let decided_at = performance.now();
  let next = events.next();
  try {
    for (;;) {
      const came = await within(quiet_ms, next);
      if (came?.done === true) return;
      if (performance.now() - decided_at > fresh_ms) {
        await decide();
        decided_at = performance.now();
      }
      if (came === undefined) continue;
      yield came.value;
      next = events.next();
    }
  } finally {
    ended.abort();
    next.catch(() => {}); // it fails when its reader is gone
    await events.return?.();
  }
}
