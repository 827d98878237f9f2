// `fetch` for short answers of others, over the checked connections. Must never happen: a followed redirect, or an answer that fills the memory or holds on.
import type { Dispatcher } from 'undici';
import { readAtMost } from '../read-at-most.ts';
import type { Outbound } from './outbound.ts';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const most_bytes = 256 * 1024;
export const answer_ms = 10_000;

/** The other side has sent the browser or the service elsewhere. */
export class Redirected extends Error {}

export class AnswerTooLong extends Error {}

export function boundedFetch(outbound: Outbound): Fetch {
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
    const text = await readAtMost(answer.body, most_bytes, tooLong);
    return new Response([204, 205].includes(status) ? null : text, { status, headers: given });
  };
}

export function headersOf({ headers }: Pick<Dispatcher.ResponseData, 'headers'>): Headers {
  const given = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value].flat()) if (one !== undefined) given.append(name, one);
  return given;
}

function textOf(body: RequestInit['body']): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('only text is sent');
}

const tooLong = () => new AnswerTooLong(`The answer has more than ${most_bytes / 1024} kB.`);
