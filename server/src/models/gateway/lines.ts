// Ollama streams lines of JSON. Within the gateway a stream has server-sent events, so its lines become events, and events become lines again.
import type { Reply } from '../../governance/http/answer/reply.ts';
import { eventsIn, textOfData } from '../../governance/http/answer/event-stream.ts';
import type { Body, UpstreamAnswer } from './upstream/upstream.ts';

export function withEvents(answer: UpstreamAnswer): UpstreamAnswer {
  if (!answer.content_type.startsWith('application/x-ndjson')) return answer;
  const { body } = answer;
  const events: Body = { destroy: () => body.destroy(), [Symbol.asyncIterator]: () => eventsOf(body) };
  return { ...answer, content_type: 'text/event-stream', body: events };
}

export function withLines(reply: Reply): Reply {
  const { body, headers } = reply;
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return reply;
  return { ...reply, headers: { ...headers, 'content-type': 'application/x-ndjson' }, body: linesOf(body) };
}

async function* eventsOf(body: Body): AsyncGenerator<Buffer> {
  let isInLine = false;
  for await (const chunk of body) {
    let written = '';
    // A byte for a character: a character of several bytes can be in two chunks.
    for (const [index, piece] of chunk.toString('latin1').split('\n').entries()) {
      if (index > 0 && isInLine) {
        written += '\n\n';
        isInLine = false;
      }
      if (piece === '') continue;
      written += isInLine ? piece : `data: ${piece}`;
      isInLine = true;
    }
    if (written !== '') yield Buffer.from(written, 'latin1');
  }
  if (isInLine) yield Buffer.from('\n\n');
}

async function* linesOf(events: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  for await (const part of events) {
    const lines = [...eventsIn(Buffer.from(part))].map(textOfData).filter((text) => text !== '');
    if (lines.length > 0) yield lines.map((line) => `${line}\n`).join('');
  }
}
