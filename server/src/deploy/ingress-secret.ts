import { createHmac } from 'node:crypto';

/**
 * Proves to a revision's wrapper that a call comes through the ingress, and to the ingress that what answers is that revision's container.
 * Derived, so that it is stored nowhere.
 */
export function ingressSecret(key: Buffer, revision_id: string): string {
  return createHmac('sha256', key).update(revision_id).digest('base64url');
}
