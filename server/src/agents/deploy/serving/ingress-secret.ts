import { createHmac } from 'node:crypto';

/**
 * Proves to a revision's wrapper that a call comes from the ingress. Proves to the ingress that the server is that revision's container.
 * The secret is derived from a key and never stored.
 */
export function ingressSecret(key: Buffer, revision_id: string): string {
  return createHmac('sha256', key).update(revision_id).digest('base64url');
}
