// A request that changes the protocol of its connection. The door takes one kind: an instance that dials in. Its answer is 101, or a problem
// document. Afterwards the connection belongs to whoever accepted it.
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { asProblem } from '../refusals/problem-reply.ts';
import { repeatedHeader } from './repeated-headers.ts';
import { requestHeaders, type RequestHeaders } from '../request/request-headers.ts';
import { lastAnswer } from './unparsed.ts';

export interface Upgrade {
  path: string;
  protocol: string;
  /** Throws the refusal. Returns what takes the connection over after the answer. */
  accept: (asked: { headers: RequestHeaders; ip: string | null }) => Promise<(socket: Socket) => void>;
  onError: (error: unknown) => void;
}

export function isUpgrade({ path, protocol }: Upgrade, { method, url, headers }: IncomingMessage): boolean {
  return method === 'GET' && url === path && headers.upgrade === protocol;
}

/** Never rejects. */
export async function answerUpgrade(
  { accept, protocol, onError }: Upgrade,
  { incoming, socket, head }: { incoming: IncomingMessage; socket: Socket; head: Buffer },
): Promise<void> {
  const end = () => void socket.destroy();
  socket.on('error', end);
  try {
    const problem = repeatedHeader(incoming);
    if (problem !== undefined) throw problem;
    const take = await accept({ headers: requestHeaders(incoming), ip: socket.remoteAddress ?? null });
    // A sender that does not wait for the answer speaks something else.
    if (head.length > 0 || socket.destroyed) return end();
    socket.write(`HTTP/1.1 101 ${STATUS_CODES[101]}\r\nconnection: Upgrade\r\nupgrade: ${protocol}\r\n\r\n`);
    socket.off('error', end);
    take(socket);
  } catch (error) {
    const problem = asProblem(error);
    if (problem.code === 'internal') onError(error);
    const { status, headers, body } = lastAnswer(problem);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, end);
  }
}
