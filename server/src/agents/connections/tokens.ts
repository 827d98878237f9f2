// The secret part of a connection, at rest.
import { z } from 'zod';
import type { Envelope, SealedRow } from '../../ground/envelope/envelope.ts';

const tokens = z.object({
  /** Sent as a bearer token. An API key is one too. */
  access: z.string(),
  refresh: z.string().optional(),
});
export type Tokens = z.output<typeof tokens>;

const rowOf = (id: string): SealedRow => ({ table: 'user_connection', id });

export function sealTokens({ seal }: Envelope, id: string, { access, refresh }: Tokens): Buffer {
  return seal(JSON.stringify({ access, refresh }), rowOf(id));
}

export function openTokens({ open }: Envelope, { id, sealed }: { id: string; sealed: Buffer }): Tokens {
  return tokens.parse(JSON.parse(open(sealed, rowOf(id))));
}
