// What a handler returned → the response, through the reply's schema: a member that the contract does not name does not leave.
import { printJsonLine } from '@gantry/contract/json-lines.ts';
import { printServerSentEvent } from '@gantry/contract/server-sent-events.ts';
import { refusal_event, type Endpoint, type Page, type StreamEvent } from '@gantry/contract/endpoint.ts';
import type { ProblemDocument } from '@gantry/contract/problems.ts';

const heartbeat_ms = 15_000;

export interface Streaming {
  /** Ends a stream. */
  signal: AbortSignal;
  /** What is said of a failure in the midst of a stream of events. */
  refuse: (error: unknown) => Promise<ProblemDocument>;
}

export function printAnswer(endpoint: Endpoint, value: unknown, { signal, refuse }: Streaming): Response {
  const { reply } = endpoint;
  switch (reply.kind) {
    case 'none':
      return new Response(null, { status: 204 });
    case 'raw':
      return value as Response; // Answer<E> of this shape
    case 'bare':
      return Response.json(reply.schema.parse(value), { status: reply.status });
    case 'data':
      return Response.json({ data: reply.schema.parse(value) }, { status: reply.status });
    case 'list': {
      const { items, next_cursor } = value as Page<unknown>; // Answer<E> of this shape
      const meta = next_cursor === undefined ? {} : { next_cursor };
      return Response.json({ data: items.map((item) => reply.schema.parse(item)), meta }, { status: reply.status });
    }
    case 'lines': {
      const lines = value as AsyncIterable<unknown>; // Answer<E> of this shape
      return new Response(
        lineStream(lines, (line) => printJsonLine(reply.schema.parse(line)), signal),
        {
          headers: { 'content-type': 'application/x-ndjson' },
        },
      );
    }
    case 'events': {
      const events = value as AsyncIterable<StreamEvent<unknown>>; // Answer<E> of this shape
      const printed = printEvents(events, (data) => reply.schema.parse(data), { signal, refuse });
      return new Response(eventStream(printed, signal), {
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
      });
    }
  }
}

const chunk_characters = 64 * 1024;

/** Pulled by the reader. A stop breaks it off, so that nobody takes it for whole. */
function lineStream(
  lines: AsyncIterable<unknown>,
  print: (line: unknown) => string,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const reading = lines[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let chunk = '';
      while (chunk.length < chunk_characters) {
        signal.throwIfAborted();
        const next = await reading.next();
        if (next.done === true) {
          if (chunk !== '') controller.enqueue(encoder.encode(chunk));
          return controller.close();
        }
        chunk += print(next.value);
      }
      controller.enqueue(encoder.encode(chunk));
    },
    async cancel() {
      await reading.return?.();
    },
  });
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
    // Its reader is gone, or the service stops: nobody is told of it any more.
    if (signal.aborted) return;
    yield printServerSentEvent({ event: refusal_event, data: JSON.stringify(await refuse(error)) });
  }
}

/** Pulled by the reader, so a slow one holds nothing up but itself; a comment every 15 s keeps proxies from closing a quiet stream. */
function eventStream(printed: AsyncGenerator<string>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<string>> | undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      next ??= printed.next();
      const beat = new AbortController();
      const quiet = new Promise<'quiet'>((resolve) => {
        const timer = setTimeout(() => resolve('quiet'), heartbeat_ms);
        beat.signal.addEventListener('abort', () => clearTimeout(timer));
      });
      const stopped = new Promise<'stopped'>((resolve) => {
        if (signal.aborted) resolve('stopped');
        signal.addEventListener('abort', () => resolve('stopped'), { once: true, signal: beat.signal });
      });
      const came = await Promise.race([next, quiet, stopped]);
      beat.abort();
      if (came === 'quiet') return controller.enqueue(encoder.encode(': still here\n\n'));
      if (came === 'stopped' || came.done === true) return controller.close();
      next = undefined;
      controller.enqueue(encoder.encode(came.value));
    },
    async cancel() {
      await printed.return(undefined);
    },
  });
}
