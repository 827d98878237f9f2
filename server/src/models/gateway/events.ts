// What the events of an upstream's stream count. Their bytes pass unchanged, apart from an event that carries only usage that the client has not
// asked for.
import { dataOf, eventsIn } from '../../governance/http/answer/event-stream.ts';
import type { Json, Wire } from './wires/wire.ts';

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

// In Anthropic's last event, null stands for a count that the first one gave.
function withoutNulls(counts: Json): Json {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== null));
}
