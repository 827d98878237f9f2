// `fetch` for what OAuth needs, over the checked connections. Must never happen: a followed redirect, or an answer that fills the memory or holds on.
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Outbound } from '../../../ground/outbound/outbound.ts';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const most_bytes = 256 * 1024;
const answer_ms = 10_000;

/** The other side has sent the browser or the service elsewhere. */
export class Redirected extends Error {}

export function oauthFetch(outbound: Outbound): Fetch {
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    const limit = AbortSignal.timeout(answer_ms);
    const answer = await outbound.request(String(url), {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      body: textOf(body),
      signal: signal === null || signal === undefined ? limit : AbortSignal.any([limit, signal]),
      headersTimeout: answer_ms,
      bodyTimeout: answer_ms,
    });
    const { statusCode: status } = answer;
    if (status >= 300 && status < 400) {
      await answer.body.dump();
      throw new Redirected('It answers with a redirect.');
    }
    const given = headersOf(answer);
    const text = await bounded(answer.body);
    return new Response([204, 205].includes(status) ? null : text, { status, headers: given });
  };
}

/** The server's answer to a request without a credential. Its body may be an endless stream, so nobody reads it. */
export async function challengeOf(outbound: Outbound, address: string): Promise<Response> {
  const answer = await outbound.request(address, {
    method: 'GET',
    headers: { accept: 'application/json, text/event-stream' },
    body: null,
    signal: AbortSignal.timeout(answer_ms),
    headersTimeout: answer_ms,
    bodyTimeout: answer_ms,
  });
  answer.body.on('error', () => undefined).destroy();
  return new Response(null, { headers: headersOf(answer) });
}

function headersOf({ headers }: Pick<Dispatcher.ResponseData, 'headers'>): Headers {
  const given = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value].flat()) if (one !== undefined) given.append(name, one);
  return given;
}

function textOf(body: RequestInit['body']): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('OAuth sends text');
}

async function bounded(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most_bytes) throw new Error(`the answer has more than ${most_bytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
