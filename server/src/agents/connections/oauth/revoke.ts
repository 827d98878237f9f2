// RFC 7009. A refresh token first: with it, most authorization servers end the access token too.
import { assertSecureTokenEndpoint, selectClientAuthMethod } from '@modelcontextprotocol/client';
import { boundedFetch } from '../../../ground/outbound/bounded-fetch.ts';
import type { ConnectionRow } from '../connection-store.ts';
import type { ConnectionParts } from '../parts.ts';
import type { ServerAsUser } from '../server-as-user.ts';
import type { Tokens } from '../tokens.ts';
import { clientOf } from './client.ts';
import { discover } from './discover.ts';

/** False when the authorization server offers it not. Throws the reason of a failure. */
export async function revokeTokens(
  parts: ConnectionParts,
  server: ServerAsUser,
  { issuer, client_id, ...connection }: Pick<ConnectionRow, 'issuer' | 'client_id' | 'address'>,
  { access, refresh }: Tokens,
): Promise<boolean> {
  if (issuer === null || client_id === null) return false;
  const { metadata } = await discover(parts.outbound, connection.address, { issuer });
  const endpoint = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  const client = await clientOf(parts, server, { issuer, client_id });
  if (typeof endpoint !== 'string' || client === undefined) return false;
  const address = assertSecureTokenEndpoint(endpoint);
  const method = selectClientAuthMethod(client, metadata.token_endpoint_auth_methods_supported ?? []);
  for (const [token, hint] of [
    [refresh, 'refresh_token'],
    [access, 'access_token'],
  ] as const) {
    if (token === undefined) continue;
    const form = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
    const { client_id: id, client_secret: secret } = client;
    if (method === 'client_secret_basic')
      headers.set(
        'authorization',
        `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret ?? '')}`).toString('base64')}`,
      );
    else {
      form.set('client_id', id);
      if (method === 'client_secret_post' && secret !== undefined) form.set('client_secret', secret);
    }
    const answer = await boundedFetch(parts.outbound)(address, { method: 'POST', headers, body: form });
    if (!answer.ok) return false;
  }
  return true;
}

/** RFC 6749, section 2.3.1. */
const encoded = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');
