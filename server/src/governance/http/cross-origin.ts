// Pages of other sites that may call this service from a browser, on the surfaces that take them. Such a page sends a token of its own: no cookie
// counts on these surfaces, and no answer allows credentials.
import type { Reply } from './answer/reply.ts';
import type { RequestHeaders } from './request/request-headers.ts';
import type { Surface } from './surface.ts';

export type AllowedOrigins = () => Promise<readonly string[]>;

interface Asked {
  surface: Surface;
  headers: RequestHeaders;
}

/** What a page may read of an answer beside its body. */
const exposed = 'content-location, retry-after, x-pagination-next, x-pagination-total, x-request-id, x-run-id';
const sent = 'authorization, cache-control, content-type, last-event-id, prefer, x-api-key';
const max_age_seconds = 600;

/** A question of a browser before it sends the request of a page. Undefined: the request is no such question. */
export async function preflight(
  allowed: AllowedOrigins,
  { surface, headers }: Asked,
  methods: readonly string[],
): Promise<Reply | undefined> {
  if (surface.takes_pages !== true || !headers.has('access-control-request-method')) return undefined;
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

/** For each answer: a page of another origin may not read it without them. */
export async function originHeaders(
  allowed: AllowedOrigins,
  { surface, headers }: Asked,
): Promise<Record<string, string>> {
  const origin = headers.get('origin');
  if (surface.takes_pages !== true || origin === null) return {};
  const vary = { vary: 'origin' };
  if (!(await allowed()).includes(origin)) return vary;
  return { ...vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed };
}
