import type { Receipt } from '../audit/append.ts';
import type { Reply } from './reply.ts';

// Nothing that the API answers is a page: no script, no frame, no type but the one it says.
const always = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/** Adds the security headers, the request's id, and the numbers of the audit entries that it made. */
export function secure(reply: Reply, request_id: string, receipts: readonly Receipt[]): Reply {
  const entries = receipts.map(({ chain, seq }) => `${chain}/${seq}`).join(', ');
  return {
    ...reply,
    headers: {
      'cache-control': 'no-store',
      ...reply.headers,
      ...always,
      'x-request-id': request_id,
      ...(entries !== '' && { 'x-audit-entry': entries }),
    },
  };
}
