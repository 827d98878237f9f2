// The text/event-stream format (WHATWG HTML, section 9.2), both ways.
import { EventSourceParserStream } from 'eventsource-parser/stream';

export interface ServerSentEvent {
  id?: string;
  event?: string;
  data: string;
}

export function printServerSentEvent(event: ServerSentEvent): string {
  const lines = event.data.split('\n').map((line) => `data: ${line}\n`);
  const id = event.id === undefined ? '' : `id: ${event.id}\n`;
  const name = event.event === undefined ? '' : `event: ${event.event}\n`;
  return `${id}${name}${lines.join('')}\n`;
}

/** Comments (heartbeats) and an incomplete last event are dropped. */
export function readServerSentEvents(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncIterable<ServerSentEvent> {
  return stream.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
}
