import type { Database } from '../../ground/database/database.ts';
import type { Envelope } from '../../ground/envelope/envelope.ts';
import type { Handlers } from '../http/handlers.ts';
import { publishedKeys, rotateSigningKey } from './signing-keys.ts';

export function signingKeysRoutes(parts: { db: Database; envelope: Envelope }): Handlers<'signing_keys'> {
  return {
    'signing_keys.jwks': async () => await publishedKeys(parts),
    'signing_keys.rotate': async ({ caller }) => await rotateSigningKey(parts, caller),
  };
}
