// Standard Webhooks, symmetric: HMAC-SHA-256 over `id.timestamp.body`. https://github.com/standard-webhooks/standard-webhooks
import { createHmac } from 'node:crypto';

export interface Signable {
  /** The same for every attempt. */
  id: string;
  body: string;
  /** Seconds since 1970. Default: now. */
  timestamp?: number;
}

/** One signature for each key, so that a receiver may still use the previous key. */
export function signatureHeaders(
  { id, body, timestamp = Math.floor(Date.now() / 1000) }: Signable,
  keys: readonly (Buffer | string)[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const sign = (key: Buffer | string) =>
    `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': keys.map(sign).join(' '),
  };
}
