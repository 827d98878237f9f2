// One message of the Model Context Protocol to the service, and what it answers.
import { readServerSentEvents } from '@gantry/contract/formats/server-sent-events.ts';

export type Message = Record<string, unknown>;

/** The messages of an answer: a stream tells progress before its result. An accepted notification has none. */
export async function* messagesOf(response: Response): AsyncGenerator<Message> {
  if (response.body === null || response.status === 202) return;
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    yield (await response.json()) as Message; // the service answers as the protocol says
    return;
  }
  // A comment that keeps the stream open has no data.
  for await (const { data } of readServerSentEvents(response.body)) if (data !== '') yield JSON.parse(data) as Message;
}
