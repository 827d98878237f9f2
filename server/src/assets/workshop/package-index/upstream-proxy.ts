import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens a tunnel through a forward proxy (`http://[user:password@]host:port`) with CONNECT (RFC 9110, section 9.3.6). */
export async function connectThrough(
  proxy: string,
  { host, port }: { host: string; port: number },
  signal: AbortSignal,
): Promise<Socket> {
  const { hostname, port: proxyPort, username, password } = new URL(proxy);
  const socket = connect({ host: hostname, port: Number(proxyPort || 80), signal });
  await once(socket, 'connect', { signal });
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const authorization = username === '' ? '' : `Proxy-Authorization: Basic ${login}\r\n`;
  socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n${authorization}\r\n`);
  const head = await readHead(socket, signal);
  if (/^HTTP\/1\.[01] 200 /.test(head)) return socket;
  socket.destroy();
  throw new Error(`The upstream proxy answered: ${head.split('\r\n', 1)[0]}`);
}

/** Reads until the empty line. No data follows it, because the client sends first in a tunnel to TLS or HTTP. */
async function readHead(socket: Socket, signal: AbortSignal): Promise<string> {
  let head = '';
  while (!head.includes('\r\n\r\n')) {
    if (head.length > 16_384) throw new Error('The upstream proxy sends an endless head');
    const [chunk] = (await once(socket, 'data', { signal })) as [Buffer]; // no encoding is set on this socket
    socket.pause();
    head += chunk.toString('latin1');
  }
  return head;
}
