import type { Receipt } from '../../audit/append.ts';
import type { Reply } from './reply.ts';

// No answer of the API is a page. It has no script, no frame, and only the declared type.
const of_the_api = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/** Adds the security headers, the ids of the request and of its trace, and the numbers of its audit entries. */
export function secure(
  reply: Reply,
  { request_id, trace_id, receipts }: { request_id: string; trace_id?: string; receipts: readonly Receipt[] },
): Reply {
  const entries = receipts.map(({ chain, seq }) => `${chain}/${seq}`).join(', ');
  return {
    ...reply,
    headers: {
      'cache-control': 'no-store',
      ...reply.headers,
      ...(reply.security ?? of_the_api),
      'x-request-id': request_id,
      ...(trace_id !== undefined && { 'x-trace-id': trace_id }),
      ...(entries !== '' && { 'x-audit-entry': entries }),
    },
  };
}
