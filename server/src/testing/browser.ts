// Requests as a browser sends them. `fetch` would change their paths and some of their headers.
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: object;
}

export interface Answered {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The headers of a request that a script of the service's own page sends. */
export const of_own_page = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };

export async function ask(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body }: Asked = {},
): Promise<Answered> {
  const { hostname, port } = new URL(url);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = request({ hostname, port, path, method, headers: { ...type, ...headers }, agent: false });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answered] = (await once(sent, 'response')) as [IncomingMessage]; // the event's only argument
  const chunks: Buffer[] = [];
  for await (const chunk of answered) chunks.push(chunk as Buffer); // no encoding is set
  return { status: answered.statusCode, headers: answered.headers, body: Buffer.concat(chunks) };
}

export async function askToSignIn(
  url: string,
  { email, password }: { email: string; password: string },
  headers: Record<string, string> = of_own_page,
): Promise<Answered> {
  return await ask(url, '/api/v1/auth/browser-session', { method: 'POST', headers, body: { email, password } });
}

/** A browser's session: its cookie as `<name>=<value>`. */
export async function signInBrowser(...asked: Parameters<typeof askToSignIn>): Promise<string> {
  const { headers } = await askToSignIn(...asked);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}
