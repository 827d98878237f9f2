// Pages of other sites that may call this service from a browser, on the surfaces that take them. Such a page sends a token of its own: no cookie
// counts on these surfaces, and no answer allows credentials.
import type { Method } from '@gantry/contract/endpoint.ts';
import type { Reply } from './answer/reply.ts';
import type { RequestHeaders } from './request/request-headers.ts';
import type { Router } from './router.ts';
import type { Surface } from './surface.ts';

export type AllowedOrigins = () => Promise<readonly string[]>;

interface Asked {
  surface: Surface;
  headers: RequestHeaders;
}

/** What a page may read of an answer beside its body. */
const exposed = 'content-location, retry-after, x-pagination-next, x-pagination-total, x-request-id, x-run-id';
const sent =
  'authorization, cache-control, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, prefer, x-api-key';
const max_age_seconds = 600;

/** The answer to a browser that asks before it sends the request of a page. Undefined: the request is no such question. */
export async function preflight(
  allowed: AllowedOrigins,
  { find }: Pick<Router<Pick<Asked, 'surface'>>, 'find'>,
  { method, path, headers, methods }: Pick<Asked, 'headers'> & { method: string; path: string; methods: Method[] },
): Promise<Reply | undefined> {
  const found = method === 'OPTIONS' ? find(methods[0] ?? '', path) : [];
  if (Array.isArray(found) || !headers.has('access-control-request-method')) return undefined;
  const { surface } = found.route;
  if (surface.takes_pages !== true) return undefined;
  const answer = await originHeaders(allowed, { surface, headers });
  if (answer['access-control-allow-origin'] === undefined) return { status: 403, headers: answer };
  return {
    status: 204,
    headers: {
      ...answer,
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': sent,
      'access-control-max-age': String(max_age_seconds),
    },
  };
}

/** The answer with what the page needs that has asked for it. */
export async function readableByPage(allowed: AllowedOrigins, asked: Asked, reply: Reply): Promise<Reply> {
  return { ...reply, headers: { ...reply.headers, ...(await originHeaders(allowed, asked)) } };
}

async function originHeaders(allowed: AllowedOrigins, { surface, headers }: Asked): Promise<Record<string, string>> {
  const origin = headers.get('origin');
  if (surface.takes_pages !== true || origin === null) return {};
  const vary = { vary: 'origin' };
  if (!(await allowed()).includes(origin)) return vary;
  return { ...vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed };
}
