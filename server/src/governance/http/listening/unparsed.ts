// Input that never becomes a request: Node's parser refuses it, or it does not arrive in time. The answer is a problem document like
// all others. The connection closes, because the next request on it has no known start.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem, problemDocument } from '@gantry/contract/problems.ts';
import { secure } from '../answer/headers.ts';
import { problemReply } from '../refusals/problem-reply.ts';

/** Is called for each, with Node's code or the reason in words. */
export type OnUnparsed = (line: { request_id: string; status: number; why: string | undefined }) => void;

export function answerUnparsed(server: Server, onUnparsed: OnUnparsed): void {
  // Per connection; several for pipelined requests.
  const answers = new WeakMap<Duplex, Set<ServerResponse>>();
  server.prependListener('request', ({ socket }, outgoing) => {
    const open = answers.get(socket) ?? new Set();
    answers.set(socket, open.add(outgoing));
    outgoing.once('close', () => open.delete(outgoing));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // This text would continue a started answer, or answer an earlier request that still waits.
    const isOwed = [...(answers.get(socket) ?? [])].some(
      (one) => (one.headersSent || one.req.complete) && !one.writableFinished,
    );
    if (!socket.writable || isOwed || error.code === 'ECONNRESET') return void socket.destroy(error);
    const { request_id, status, headers, body } = lastAnswer(problemOf(error));
    onUnparsed({ request_id, status, why: error.code });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
    socket.end(head + body, () => socket.destroy());
  });
  server.on('checkExpectation', (_, outgoing: ServerResponse) => {
    const problem = new Problem('malformed', { detail: 'The only supported expectation is 100-continue.' });
    answerLast(outgoing, problem, { onUnparsed, why: 'an expectation' });
  });
}

/** Refuses a request that Node's parser accepts; the connection closes. */
export function answerLast(
  outgoing: ServerResponse,
  problem: Problem,
  { onUnparsed, why }: { onUnparsed: OnUnparsed; why: string },
): void {
  const { request_id, status, headers, body } = lastAnswer(problem);
  onUnparsed({ request_id, status, why });
  outgoing.writeHead(status, headers).end(body);
}

function problemOf({ code }: NodeJS.ErrnoException): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('too_large', { detail: 'The extensions of a chunk are too large.' });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout');
    default:
      return new Problem('malformed', { detail: 'This is not valid HTTP (RFC 9112).' });
  }
}

/** The last answer of its connection. */
export function lastAnswer(problem: Problem) {
  const request_id = randomUUID();
  const { status, headers } = secure(problemReply(problem, request_id), { request_id, receipts: [] });
  const body = JSON.stringify(problemDocument(problem, request_id));
  const all = { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  return { request_id, status, headers: all, body };
}
