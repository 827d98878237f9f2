import { Problem } from '@gantry/contract/problems.ts';
import type { Reply } from '../governance/http/answer/reply.ts';
import { isSameSecret } from '../ground/is-same-secret.ts';
import type { RequestHeaders } from '../governance/http/request/request-headers.ts';

/** Throws `not_found` without METRICS_TOKEN, and `unauthenticated` for another token. */
export function readMetrics(
  { token, print }: { token: string | undefined; print: () => string },
  headers: RequestHeaders,
): Reply {
  if (token === undefined) throw new Problem('not_found');
  if (!isSameSecret(headers.get('authorization') ?? '', `Bearer ${token}`)) throw new Problem('unauthenticated');
  return { status: 200, headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }, body: print() };
}
