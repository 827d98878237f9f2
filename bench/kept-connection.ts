import { Agent, request } from 'node:http';

export interface KeptConnection extends Disposable {
  /** Sends and reads the answer to its end; anything but a 2xx is an error. */
  send(method: string, path: string, body?: string): Promise<void>;
}

const timeout_ms = 30_000;

/** One open connection, as a client has, so that a request is measured without a handshake. */
export function keptConnection(base_url: string, headers: Record<string, string>): KeptConnection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (method: string, path: string, body = '') => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const all =
      body === ''
        ? headers
        : { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const outgoing = request(base_url + path, { agent, method, headers: all, timeout: timeout_ms }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        (answer.statusCode ?? 0) < 300
          ? resolve()
          : reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`)),
      );
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path} was not answered`)));
    outgoing.on('error', reject);
    outgoing.end(body);
    await promise;
  };
  return { send, [Symbol.dispose]: () => agent.destroy() };
}
