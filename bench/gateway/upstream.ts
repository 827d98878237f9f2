// The model that every measured gateway calls: a program with one constant answer, on bare sockets, because it must be faster than each
// gateway. Arguments: the port. `/slow/…` answers later. `GET /calls` is the number of calls so far.
import { createServer, type Socket } from 'node:net';

const chunks = 50;
const slow_ms = 50;
const usage = { prompt_tokens: 590, completion_tokens: 10, total_tokens: 600 };
const named = { id: 'chatcmpl-bench', created: 1_795_000_000, model: 'm' };
const choice = (delta: object, finish_reason: string | null) => [{ index: 0, delta, logprobs: null, finish_reason }];
const event = (data: object) =>
  `data: ${JSON.stringify({ ...named, object: 'chat.completion.chunk', system_fingerprint: 'fp_bench', ...data })}\n\n`;
const chunkOf = (text: string) => Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);

const whole = answerOf(
  JSON.stringify({
    ...named,
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'one two three' }, logprobs: null, finish_reason: 'stop' },
    ],
    usage,
  }),
);
const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
);
const words = Array.from({ length: chunks }, (_, n) =>
  chunkOf(event({ choices: choice({ content: ` word${n}` }, null) })),
);
const streamEnd = Buffer.concat([
  chunkOf(event({ choices: choice({}, 'stop') })),
  chunkOf('data: [DONE]\n\n'),
  Buffer.from('0\r\n\r\n'),
]);
const countedEnd = Buffer.concat([chunkOf(event({ choices: [], usage })), streamEnd]);

let calls = 0;

createServer({ noDelay: true }, (socket) => {
  let held = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    held += text;
    for (let end = endOfRequest(held); end > 0; end = endOfRequest(held)) {
      answer(socket, held.slice(0, end));
      held = held.slice(end);
    }
  });
  socket.on('error', () => socket.destroy()); // a gateway that stops leaves its connections open
}).listen(Number(process.argv[2]), '127.0.0.1');

/** 0 until it has arrived whole. */
function endOfRequest(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head))?.[1] ?? '0';
  const end = head + 4 + Number(length);
  return text.length >= end ? end : 0;
}

function answer(socket: Socket, request: string): void {
  if (request.startsWith('GET ')) return void socket.write(answerOf(JSON.stringify(calls)));
  calls += 1;
  const send = () => {
    if (/"stream": ?true/.test(request))
      stream(socket, /"include_usage": ?true/.test(request) ? countedEnd : streamEnd);
    else socket.write(whole);
  };
  if (request.startsWith('POST /slow/')) setTimeout(send, slow_ms);
  else send();
}

/** Each chunk is a write of its own, as a model produces them. */
function stream(socket: Socket, end: Buffer): void {
  let next = 0;
  const write = () => {
    const chunk = words[next++];
    socket.write(chunk ?? end);
    if (chunk !== undefined) setImmediate(write);
  };
  socket.write(streamHead);
  write();
}

function answerOf(body: string): Buffer {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}
