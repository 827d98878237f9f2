import { OAuthError, refreshAuthorization } from '@modelcontextprotocol/client';
import type { ConnectionRow } from '../connection-store.ts';
import * as store from '../connection-store.ts';
import type { ConnectionParts } from '../parts.ts';
import { openTokens, sealTokens, type Tokens } from '../tokens.ts';
import type { ServerAsUser } from '../server-as-user.ts';
import { clientOf } from './client.ts';
import { discover } from './discover.ts';
import { received } from './finish.ts';
import { oauthFetch } from './oauth-fetch.ts';
import { IssuerChanged } from './sign-in-failed.ts';

/**
 * The tokens of the connection after a refresh. Of all processes one refreshes, under the lock of the row, and the others get what it has got: a refresh
 * token works once. Undefined when the authorization server gives no more; then the connection has ended. Throws the reason of a failure.
 */
export async function refreshed(
  parts: ConnectionParts,
  server: ServerAsUser,
  { id, isStale }: { id: string; isStale: (row: ConnectionRow, tokens: Tokens) => boolean },
): Promise<Tokens | undefined> {
  const { db, envelope } = parts;
  return await db.transaction(async (tx) => {
    const row = await store.lock(tx, id);
    if (row === undefined || row.is_ended) return undefined;
    const tokens = openTokens(envelope, row);
    if (!isStale(row, tokens)) return tokens;
    const given = await askForTokens(parts, server, row, tokens);
    if (given === undefined) {
      await store.setEnded(tx, id);
      return undefined;
    }
    const { tokens: now, expires_at } = given;
    const is_refreshed = now.refresh !== undefined;
    await store.setTokens(tx, { id, sealed: sealTokens(envelope, id, now), expires_at, is_refreshed });
    return now;
  });
}

/** Undefined when there is nothing to ask with, or the answer is final. */
async function askForTokens(
  parts: ConnectionParts,
  server: ServerAsUser,
  { issuer, client_id }: ConnectionRow,
  { refresh }: Tokens,
): Promise<ReturnType<typeof received> | undefined> {
  if (issuer === null || client_id === null || refresh === undefined) return undefined;
  try {
    const { metadata, resource } = await discover(parts.outbound, server.address, { issuer });
    const client = await clientOf(parts, server, { issuer, client_id });
    if (client === undefined) return undefined;
    const fetchFn = oauthFetch(parts.outbound);
    const asked = { metadata, clientInformation: client, refreshToken: refresh, resource, fetchFn };
    return received(await refreshAuthorization(issuer, asked));
  } catch (error) {
    if (error instanceof OAuthError && ['invalid_grant', 'invalid_client'].includes(error.code)) return undefined;
    if (error instanceof IssuerChanged) return undefined;
    throw error;
  }
}
