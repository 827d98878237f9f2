// The keys that sign what others check: the tokens of calls with `as: delegate`.
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { time } from './wire.ts';

const publicKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  alg: z.literal('ES256'),
  use: z.literal('sig'),
  kid: z.string(),
  x: z.string(),
  y: z.string(),
});

export const signingKey = z.object({
  kid: z.string(),
  state: z.enum(['next', 'current', 'retired']).describe('`next` is published before it signs'),
  made_at: time,
  signs_since: time.nullable(),
});
export type SigningKey = z.output<typeof signingKey>;

export const signingKeysEndpoints = {
  'signing_keys.jwks': {
    method: 'GET',
    path: '/.well-known/jwks.json',
    summary:
      'The public keys of this service (RFC 7517): the one that signs, the next one, and those that have just stopped',
    operation: 'signing_key.read',
    reply: { kind: 'bare', status: 200, schema: z.object({ keys: z.array(publicKey) }) },
    problems: [],
  },
  'signing_keys.rotate': {
    method: 'POST',
    path: '/api/v1/signing-keys/rotate',
    summary: 'Sign with the next key from now on, and make another one',
    operation: 'signing_key.rotate',
    reply: { kind: 'data', status: 200, schema: z.array(signingKey) },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
