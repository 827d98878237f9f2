// Standard Webhooks, symmetric: HMAC-SHA-256 over `id.timestamp.body`. https://github.com/standard-webhooks/standard-webhooks
import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

export function newSecret(): Buffer {
  return randomBytes(32);
}

/** As a receiver is given it. */
export function printSecret(secret: Buffer): string {
  return prefix + secret.toString('base64');
}

export interface Signable {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

/** The value of `webhook-signature`: one signature for each secret, so that a receiver may still have the one before. */
export function sign({ id, timestamp, body }: Signable, secrets: readonly Buffer[]): string {
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}
