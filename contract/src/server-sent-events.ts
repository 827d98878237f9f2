// The text/event-stream format (WHATWG HTML, section 9.2), both ways.

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

/** Comments (heartbeats) are dropped, and so is an incomplete last event. */
export async function* readServerSentEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event: Partial<ServerSentEvent> = {};
  for await (const line of readLines(stream, /\r\n|\n|\r/)) {
    if (line === '') {
      if (event.data !== undefined) yield { ...event, data: event.data };
      event = {};
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`;
    else if (field === 'id' || field === 'event') event[field] = value;
  }
}

/** The pieces of a stream between these line ends, without an incomplete last one. */
export async function* readLines(stream: ReadableStream<Uint8Array>, end: RegExp): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(end);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
