import { randomBytes } from 'node:crypto';
import { unwrap, wrap } from '../../ground/derive-key.ts';
import type { WebhookRow } from './store.ts';

/** The signing secrets: the present one, and the previous one during its grace. */
export function secretsOf(
  key: Buffer,
  { secret, previous_secret }: Pick<WebhookRow, 'secret' | 'previous_secret'>,
): Buffer[] {
  return [secret, ...(previous_secret === null ? [] : [previous_secret])].map((wrapped) => unwrap(key, wrapped));
}

/** For the row, and for the one answer that shows it, in the receivers' format. */
export function makeSecret(key: Buffer): { wrapped: Buffer; shown: string } {
  const secret = randomBytes(32);
  return { wrapped: wrap(key, secret), shown: `whsec_${secret.toString('base64')}` };
}
