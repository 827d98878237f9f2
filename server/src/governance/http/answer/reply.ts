// An answer before it is written, and the one place that writes it to Node's response.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** The security headers of a page, instead of those of the API. */
  security?: Record<string, string>;
  /** Text and bytes are sent in one piece with their head. The reader pulls a stream; its head is sent before its first byte. */
  body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

// Long enough for a client to read the answer while it still sends.
const rest_ms = 500;

export function jsonReply(value: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

/** Rejects when a stream breaks. The connection then breaks too, so that no client takes the answer for complete. */
export async function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers, body }: Reply,
): Promise<void> {
  discardRest(incoming, outgoing);
  const isHead = incoming.method === 'HEAD';
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    outgoing.writeHead(status, { ...headers, ...length }).end(isHead ? undefined : body);
    return;
  }
  outgoing.writeHead(status, headers).flushHeaders();
  if (!isHead) return await pipeline(body, outgoing);
  outgoing.end();
  await body[Symbol.asyncIterator]().return?.();
}

// The answer did not wait for the whole body. A connection with unread bytes takes no next request. A client can lose the answer when its
// connection closes at once.
function discardRest(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.complete && incoming.readableLength === 0) return;
  outgoing.once('finish', () => {
    const timer = setTimeout(() => incoming.socket.destroySoon(), rest_ms);
    incoming.once('close', () => clearTimeout(timer)).resume();
  });
}
