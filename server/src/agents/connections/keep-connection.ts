import { randomUUID } from 'node:crypto';
import type { Tx } from '../../ground/database/database.ts';
import type { Envelope } from '../../ground/envelope/envelope.ts';
import * as store from './connection-store.ts';
import { sealTokens, type Tokens } from './tokens.ts';

export interface MadeConnection {
  user_id: string;
  server_id: string;
  address: string;
  /** Null for an API key. */
  oauth: { issuer: string; resource: string; client_id: string; scopes: string[] } | null;
  tokens: Tokens;
  expires_at: string | null;
}

/** Replaces the tokens of the connection. Another address or issuer is another connection, which nobody may use yet. */
export async function keepConnection(
  tx: Tx,
  envelope: Envelope,
  { user_id, server_id, address, oauth, tokens, expires_at }: MadeConnection,
): Promise<void> {
  const before = await store.lockOf(tx, { user_id, server_id });
  const { issuer = null, resource = null, client_id = null, scopes = [] } = oauth ?? {};
  const isSame = before?.address === address && before.issuer === issuer;
  if (before !== undefined && !isSame) await store.remove(tx, before.id);
  const id = before !== undefined && isSame ? before.id : randomUUID();
  const sealed = sealTokens(envelope, id, tokens);
  const is_refreshed = tokens.refresh !== undefined;
  await store.put(tx, {
    id,
    user_id,
    server_id,
    address,
    issuer,
    resource,
    client_id,
    scopes,
    sealed,
    expires_at,
    is_refreshed,
  });
}
