// A sign-in at an authorization server: authorization code with PKCE. Promises: it ends only in the session of the person who has begun it, once, within
// ten minutes; its answer counts only from the issuer and at the redirect URI of this server, so no other server's authorization server gets the code.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { startAuthorization } from '@modelcontextprotocol/client';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, UserCaller } from '../../../governance/access/caller.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import { sessionOf } from '../../../ground/copies/copies.ts';
import { signedInUser } from '../../../people/principals/signed-in.ts';
import { ownAsk } from '../ask.ts';
import type { ConnectionParts } from '../parts.ts';
import { askedServer, type ServerAsUser } from '../server-as-user.ts';
import * as connections from '../connection-store.ts';
import * as store from '../sign-in-store.ts';
import { clientFor } from './client.ts';
import { redirectUri } from './client-document.ts';
import { discover, type Authorization } from './discover.ts';
import { readScopes } from './scopes.ts';
import { signingIn } from './sign-in-failed.ts';

const minutes = 10;

/** Throws `not_found`, `link_used`, `not_callable` or `connection_failed`. */
export async function beginSignIn(parts: ConnectionParts, caller: Caller, id: string): Promise<{ address: string }> {
  const { db, envelope, outbound, base_url } = parts;
  const user = signedInUser(caller);
  authorize(user, 'connection.change', theOrg);
  const session_id = requireSession(user);
  const ask = await ownAsk(db, user, id);
  const server = await askedServer(db, ask);
  return await signingIn(server.asset.ref, async () => {
    const authorization = await discover(outbound, server.address);
    const { issuer, metadata, resource } = authorization;
    const redirect_uri = redirectUri(base_url(), server.asset.name);
    const client = await clientFor(parts, server, authorization, redirect_uri);
    const state = randomBytes(32).toString('base64url');
    const before = await connections.find(db, { user_id: user.id, server_id: server.asset.id });
    const scopes = scopesOf(server, authorization, before);
    const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
      metadata,
      clientInformation: client,
      redirectUrl: redirect_uri,
      state,
      resource,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    });
    const sign_in_id = randomUUID();
    const row = {
      id: sign_in_id,
      ask_id: ask.id,
      user_id: user.id,
      session_id,
      state_hash: hashOf(state),
      server_id: server.asset.id,
      address: server.address,
      resource,
      issuer,
      redirect_uri,
      client_id: client.client_id,
      scopes,
      sealed_verifier: envelope.seal(codeVerifier, verifierRow(sign_in_id)),
    };
    await db.transaction(async (tx) => await store.begin(tx, row, minutes));
    return { address: authorizationUrl.href };
  });
}

export const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest();

export const verifierRow = (id: string) => ({ table: 'connection_sign_in', id });

/** Throws `forbidden` for a caller without a session of this service. */
export function requireSession({ presence }: UserCaller): string {
  const session = sessionOf(presence);
  if (session === null)
    throw new Problem('forbidden', { detail: 'A sign-in begins and ends in a session of this service.' });
  return session;
}

/** Without `offline_access`, many authorization servers give no refresh token. */
function scopesOf(
  { oauth, address }: ServerAsUser,
  { issuer, metadata, scopes }: Authorization,
  before: connections.ConnectionRow | undefined,
): string[] {
  if (oauth?.scopes !== undefined) return oauth.scopes;
  const isWider = before?.address === address && before.issuer === issuer && before.wanted_scopes.length > 0;
  const allowed = isWider ? [...before.wanted_scopes, ...before.scopes] : [];
  const offline = metadata.scopes_supported?.includes('offline_access') === true ? ['offline_access'] : [];
  return readScopes(...allowed, ...scopes, ...offline);
}
