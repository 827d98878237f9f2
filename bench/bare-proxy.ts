// A proxy without checks to the container in its command line, in its own process: it measures the cost of the hop alone. It prints its
// address, and ends with its standard input.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Agent, request } from 'undici';

const container = process.argv[2] ?? '';
const dispatcher = new Agent({ pipelining: 1 });

async function passOn(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { 'content-length': _length, connection: _connection, host: _host, ...headers } = incoming.headers;
  const body = await buffer(incoming);
  const answered = await request(`${container}${incoming.url}`, { dispatcher, method: 'POST', headers, body });
  const answer = Buffer.from(await answered.body.arrayBuffer());
  outgoing.writeHead(answered.statusCode, { 'content-type': 'application/json', 'content-length': answer.length });
  outgoing.end(answer);
}

const server = createServer((incoming, outgoing) => void passOn(incoming, outgoing));
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
process.stdin.on('end', () => process.exit()).resume();
