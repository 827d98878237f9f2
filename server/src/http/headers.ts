import type { Receipt } from '../audit/append.ts';

// Nothing that the API answers is a page: no script, no frame, no type but the one it says.
const always = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Adds the security headers, the request's id, and the numbers of the audit entries that it made. In place: a copy would have its body as
 * a stream, and a body that is there already leaves with its head in one piece.
 */
export function secure(response: Response, request_id: string, receipts: readonly Receipt[]): Response {
  const { headers } = response;
  for (const [name, value] of Object.entries(always)) headers.set(name, value);
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  headers.set('x-request-id', request_id);
  if (receipts.length > 0) headers.set('x-audit-entry', receipts.map(({ chain, seq }) => `${chain}/${seq}`).join(', '));
  return response;
}
