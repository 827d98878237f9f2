import { Client, type Dispatcher } from 'undici';

export interface KeptConnection extends AsyncDisposable {
  /** Sends and reads the answer to its end; anything but a 2xx is an error. `headers` are those of this request. */
  send(method: Dispatcher.HttpMethod, path: string, body?: string, headers?: Record<string, string>): Promise<void>;
  /** As `send`, with any status. */
  ask(method: Dispatcher.HttpMethod, path: string, body?: string, headers?: Record<string, string>): Promise<Answer>;
}

interface Answer {
  status: number;
  text: string;
}

const timeout_ms = 30_000;

/** One open connection, as a client has, so that a request is measured without a handshake. */
export function keptConnection(base_url: string, headers: Record<string, string>): KeptConnection {
  const client = new Client(base_url, { headersTimeout: timeout_ms, bodyTimeout: timeout_ms });
  const ask: KeptConnection['ask'] = async (method, path, body = '', more = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    let status = 0;
    const chunks: Buffer[] = [];
    const sent = body === '' ? {} : { body };
    const type = body === '' ? {} : { 'content-type': 'application/json' };
    client.dispatch(
      { method, path, headers: { ...headers, ...type, ...more }, ...sent },
      {
        onRequestStart: () => {},
        onResponseStart: (_, code) => {
          status = code;
        },
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => resolve({ status, text: Buffer.concat(chunks).toString() }),
        onResponseError: (_, error) => reject(error),
      },
    );
    return await promise;
  };
  return {
    ask,
    send: async (method, path, body, more) => {
      const { status, text } = await ask(method, path, body, more);
      if (status < 200 || status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    },
    [Symbol.asyncDispose]: async () => await client.destroy(),
  };
}
