// A receiver of webhooks in a separate process: `node webhook-receiver.ts <folder> <port>`. Every request is on the disk before its
// answer. The folder's file `answer` selects the answer: a status, or `never`, `redirect`, `endless`.
import { appendFileSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [folder = '', port = ''] = process.argv.slice(2);
const received = openSync(join(folder, 'received'), 'a');

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { url, headers } = request;
    appendFileSync(received, `${JSON.stringify({ url, headers, body: Buffer.concat(chunks).toString() })}\n`);
    fsyncSync(received);
    const answer = readFileSync(join(folder, 'answer'), 'utf8');
    if (answer === 'never') return;
    if (answer === 'redirect') response.writeHead(302, { location: '/elsewhere' }).end();
    else if (answer === 'endless') {
      response.writeHead(200);
      const more = () => void (response.destroyed || response.write(Buffer.alloc(65_536), more));
      more();
    } else response.writeHead(Number(answer)).end('what the receiver says');
  });
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
