// Another program answers at the address of the service. svc then says so in one sentence with a next step, and shows no stack trace.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { freshHome, runSvc } from './testing/run-svc.ts';

let home: string;
beforeAll(() => (home = freshHome()));

const http = (head: string, body = ''): string => `HTTP/1.1 ${head}\r\nconnection: close\r\n\r\n${body}`;
const json = (value: unknown, more = ''): string =>
  http(`200 OK\r\ncontent-type: application/json${more}`, JSON.stringify(value));
const proof = '\r\nx-request-id: 7';

/** Writes without an end, until the reader leaves. */
function forever(head: string, piece: string) {
  return (socket: Socket): void => {
    const pour = (): void => {
      while (!socket.destroyed && socket.write(piece)) continue;
    };
    socket.on('drain', pour).write(head);
    pour();
  };
}
const say = (text: string) => (socket: Socket) => void socket.end(text);

test.each<[string, (socket: Socket) => void, RegExp]>([
  ['a page', say(http('200 OK\r\ncontent-type: text/html', '<h1>hi</h1>')), /no Gantry service: it sent text\/html/],
  ['nothing', say(http('200 OK')), /no Gantry service: its answer has no type/],
  ['the JSON of another service', say(json({ ok: true })), /no Gantry service: it sent application\/json/],
  [
    'JSON in another envelope',
    say(json({ ok: true }, proof)),
    /no Gantry service: its JSON is not that of the service/,
  ],
  ['our envelope with another content', say(json({ data: 7 }, proof)), /does not understand|has no list/],
  ['our envelope without content', say(json({ data: null }, proof)), /does not understand|has no list/],
  ['text that claims to be JSON', say(http(`200 OK\r\ncontent-type: application/json${proof}`, 'hi')), /is not JSON/],
  [
    'a redirect',
    say(http('302 Found\r\nlocation: http://127.0.0.1:9/login')),
    /no Gantry service: it sends to another/,
  ],
  ['404 with a page', say(http('404 Not Found', '<h1>no</h1>')), /no Gantry service: it answered 404 without a reason/],
  ['a proxy without its service', say(http('502 Bad Gateway', '<h1>no</h1>')), /answers 502: a proxy is there/],
  ['a greeting of another protocol', say('220 mail ready\r\n'), /no Gantry service: it does not speak HTTP/],
  [
    'a body without an end',
    forever(http('200 OK\r\ncontent-type: text/html'), 'x'.repeat(65_536)),
    /it sent text\/html/,
  ],
  ['a refusal without an end', forever(http('500 No'), 'x'.repeat(65_536)), /it answered 500 without a reason/],
  ['headers without an end', forever('HTTP/1.1 200 OK\r\n', `x-a: ${'x'.repeat(65_536)}\r\n`), /does not speak HTTP/],
  ['a reset', (socket) => void socket.resetAndDestroy(), /cannot be reached/],
  [
    'a break within the answer',
    (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 99${proof}\r\n\r\n{"data":`);
      setTimeout(() => socket.destroy(), 50);
    },
    /broke the connection within its answer/,
  ],
])(
  '%s: one sentence with the address and a next step, without a stack',
  async (_name, answer, said) => {
    await using other = await listen(answer);
    const where = { home, env: { SERVICE_URL: other.url, SERVICE_API_TOKEN: 't' } };
    for (const words of [['status'], ['whoami', '--json']]) {
      const { exit, stderr } = await runSvc(words, where);
      expect(stderr).toMatch(said);
      expect(stderr).toContain(other.url);
      expect(stderr).toContain('hint');
      expect(stderr).not.toMatch(/node:|\.ts:\d|went wrong inside svc/);
      expect(exit).toBe(3);
    }
    // Nobody is told to sign in there.
    const unsigned = await runSvc(['status'], { home, env: { SERVICE_URL: other.url } });
    expect(unsigned.stderr).toContain(other.url);
    expect(unsigned.stderr).not.toMatch(/inside svc|not signed in/);
  },
  60_000,
);

test('an address with https where nothing speaks TLS is named as that', async () => {
  await using other = await listen(say(http('400 Bad Request')));
  const env = { SERVICE_URL: other.url.replace('http', 'https'), SERVICE_API_TOKEN: 't' };
  const { exit, stderr } = await runSvc(['whoami'], { home, env });
  expect([exit, stderr]).toEqual([3, expect.stringMatching(/answers, but without TLS\nhint: .*http:\/\//)]);
});

async function listen(answer: (socket: Socket) => void): Promise<AsyncDisposable & { url: string }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {}); // the reader leaves early
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP, so the address is one
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
