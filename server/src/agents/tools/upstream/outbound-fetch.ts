// `fetch` for the client of the protocol, over the checked connections. Must never happen: a followed redirect, or an answer that fills the memory.
import { Readable } from 'node:stream';
import type { Outbound } from '../../../ground/outbound/outbound.ts';

/** Of one answer, also of a stream. */
const most_bytes = 4 * 1024 * 1024;
const silent_ms = 120_000;

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export function outboundFetch(outbound: Outbound): Fetch {
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    if (body !== undefined && body !== null && typeof body !== 'string')
      throw new TypeError('the client of the protocol sends text');
    const answer = await outbound.request(String(url), {
      method: method === 'POST' || method === 'DELETE' ? method : 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      body: body ?? null,
      signal: signal ?? AbortSignal.timeout(silent_ms),
      headersTimeout: silent_ms,
      bodyTimeout: silent_ms,
    });
    const given = new Headers();
    for (const [name, value] of Object.entries(answer.headers))
      for (const one of [value].flat()) if (one !== undefined) given.append(name, one);
    const hasBody = ![204, 205, 304].includes(answer.statusCode);
    if (!hasBody) await answer.body.dump();
    return new Response(hasBody ? bounded(answer.body) : null, { status: answer.statusCode, headers: given });
  };
}

/** An answer that is too long breaks off. */
function bounded(body: Readable): ReadableStream<Uint8Array> {
  let bytes = 0;
  const limited = body.map((chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > most_bytes) throw new Error(`the answer has more than ${most_bytes} bytes`);
    return chunk;
  });
  return Readable.toWeb(limited) as ReadableStream<Uint8Array>; // of bytes, because the body is
}
