// A stream goes on for hours, and its reader may lose the right to it meanwhile. Promise: what is read is decided about again before it is
// sent, and a quiet stream every few seconds; the refusal ends it. A decision counts for a second, as that about a caller does.
import { within } from './within.ts';

export interface Deciding {
  /** Throws the refusal. */
  decide: () => Promise<unknown>;
  signal: AbortSignal;
}

const fresh_ms = 1000;
const quiet_ms = 5000;

/** `open` decides for the first time, so that a refusal is an answer and no stream. Its signal ends what it opened. */
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
    next.catch(() => {}); // it ended, or failed, because nobody reads it any more
    await events.return?.();
  }
}
