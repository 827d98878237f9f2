// Three ways to show that one has the secret of a hook: the signature of GitHub, the token of GitLab, and a bearer. Each is compared in constant time.
import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../../ground/is-same-secret.ts';

export interface HookRequest {
  headers: { get(name: string): string | null };
  body: Uint8Array;
}

/** Only the first of the three that the request has counts. */
export function provesSecret(secret: string, { headers, body }: HookRequest): boolean {
  const signature = headers.get('x-hub-signature-256');
  if (signature !== null)
    return isSameSecret(signature, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const token = headers.get('x-gitlab-token');
  if (token !== null) return isSameSecret(token, secret);
  return isSameSecret(headers.get('authorization') ?? '', `Bearer ${secret}`);
}
