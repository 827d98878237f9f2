// A handler's result → the reply, through the reply's schema: only members of the contract are sent.
import { printJsonLine } from '@gantry/contract/formats/json-lines.ts';
import { printServerSentEvent } from '@gantry/contract/formats/server-sent-events.ts';
import { refusal_event, type Endpoint, type Page, type StreamEvent } from '@gantry/contract/endpoint.ts';
import type { ProblemDocument } from '@gantry/contract/problems.ts';
import { eventStream, keptOpen, withKeepalives } from './event-stream.ts';
import { jsonReply, type Reply } from './reply.ts';

export interface Streaming {
  /** Ends a stream. */
  signal: AbortSignal;
  /** The problem that a failure sends in the middle of a stream of events. */
  refuse: (error: unknown) => Promise<ProblemDocument>;
}

export function printAnswer(endpoint: Endpoint, value: unknown, { signal, refuse }: Streaming): Reply {
  const { reply } = endpoint;
  switch (reply.kind) {
    case 'none':
      return { status: 204, headers: {} };
    case 'stream':
      return keptOpen(value as Reply); // Answered<E> of this shape
    case 'passed':
      return value as Reply; // likewise
    case 'bare':
      return jsonReply(reply.schema.parse(value), reply.status);
    case 'data':
      return jsonReply({ data: reply.schema.parse(value) }, reply.status);
    case 'list': {
      const { items, next_cursor, total } = value as Page<unknown>; // Answer<E> of this shape
      const meta = { ...(next_cursor !== undefined && { next_cursor }), ...(total !== undefined && { total }) };
      return jsonReply({ data: items.map((item) => reply.schema.parse(item)), meta }, reply.status);
    }
    case 'lines': {
      const lines = value as AsyncIterable<unknown>; // Answer<E> of this shape
      return {
        status: reply.status,
        headers: { 'content-type': 'application/x-ndjson' },
        body: chunksOf(lines, (line) => printJsonLine(reply.schema.parse(line)), signal),
      };
    }
    case 'events': {
      const events = value as AsyncIterable<StreamEvent<unknown>>; // Answer<E> of this shape
      const printed = printEvents(events, (data) => reply.schema.parse(data), { signal, refuse });
      return eventStream(withKeepalives(printed, signal));
    }
  }
}

const chunk_characters = 64 * 1024;

/** The reader pulls it. A stop breaks it off, so that no reader takes it for complete. */
async function* chunksOf(
  lines: AsyncIterable<unknown>,
  print: (line: unknown) => string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let chunk = '';
  for await (const line of lines) {
    signal.throwIfAborted();
    chunk += print(line);
    if (chunk.length < chunk_characters) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

async function* printEvents(
  events: AsyncIterable<StreamEvent<unknown>>,
  check: (data: unknown) => unknown,
  { signal, refuse }: Streaming,
): AsyncGenerator<string> {
  try {
    for await (const { id, event, data } of events) {
      yield printServerSentEvent({
        ...(id === undefined ? {} : { id }),
        ...(event === undefined ? {} : { event }),
        data: JSON.stringify(check(data)),
      });
    }
  } catch (error) {
    // The reader is gone, or the service stops: nobody needs this error.
    if (signal.aborted) return;
    yield printServerSentEvent({ event: refusal_event, data: JSON.stringify(await refuse(error)) });
  }
}
