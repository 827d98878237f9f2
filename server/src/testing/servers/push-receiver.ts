// An HTTP receiver of the audit log, in a separate process that the tests kill: `node push-receiver.ts <settings as JSON>`. Each batch is
// on the disk before it is acknowledged, as a line `{headers, body}`.
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer as createPlain, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface PushReceiverSettings {
  port: number;
  file: string;
  /** Absent: it listens in plain HTTP. */
  tls?: { key: string; cert: string };
}

const { port, file, tls } = JSON.parse(process.argv[2] ?? '') as PushReceiverSettings; // given by the tests

const take: RequestListener = (request, response) => {
  void (async () => {
    const body = await text(request);
    appendFileSync(file, `${JSON.stringify({ headers: request.headers, body })}\n`);
    response.writeHead(204).end();
  })();
};
const server =
  tls === undefined
    ? createPlain(take)
    : createServer({ key: readFileSync(tls.key), cert: readFileSync(tls.cert) }, take);
server.listen(port, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`)); // it listens on TCP
