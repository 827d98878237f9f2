// A stream of Gemini for a client that has not asked for server-sent events: one list in JSON, an element for each event.
import type { Reply } from '../../governance/http/answer/reply.ts';
import { eventsIn, textOfData } from '../../governance/http/answer/event-stream.ts';

export function asJsonArray(reply: Reply): Reply {
  const { body, headers } = reply;
  if (body === undefined) return reply;
  const typed = { ...headers, 'content-type': 'application/json' };
  if (typeof body === 'string' || body instanceof Uint8Array)
    return { ...reply, headers: typed, body: `[${Buffer.from(body).toString()}]` };
  return { ...reply, headers: typed, body: elements(body) };
}

async function* elements(events: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  let before = '[';
  for await (const part of events) {
    const data = [...eventsIn(Buffer.from(part))].map(textOfData).filter((text) => text !== '');
    if (data.length === 0) continue;
    yield before + data.join(',\n');
    before = ',\n';
  }
  yield before === '[' ? '[]' : ']';
}
