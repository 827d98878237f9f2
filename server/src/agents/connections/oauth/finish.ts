import { exchangeAuthorization, OAuthError, type OAuthTokens } from '@modelcontextprotocol/client';
import type { ConnectionAsk } from '@gantry/contract/agents/connections.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import { boundedFetch } from '../../../ground/outbound/bounded-fetch.ts';
import { signedInUser } from '../../../people/principals/signed-in.ts';
import { ownAsk, printAsk } from '../ask.ts';
import { keepConnection } from '../keep-connection.ts';
import type { ConnectionParts } from '../parts.ts';
import { askedServer, type ServerAsUser } from '../server-as-user.ts';
import { endOwn } from '../set-key.ts';
import * as store from '../sign-in-store.ts';
import type { Tokens } from '../tokens.ts';
import { hashOf, requireSession, verifierRow } from './begin.ts';
import { clientOf, forgetClient } from './client.ts';
import { discover } from './discover.ts';
import { errorCodeOf, SignInFailed, signingIn } from './sign-in-failed.ts';

/** What the browser has brought back. */
interface Answer {
  /** Of the address to which it was sent. */
  server: string;
  state: string;
  code?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
}

/** Throws `link_used` for a sign-in of another session, an old or a used one, and `connection_failed`. */
export async function finishSignIn(parts: ConnectionParts, caller: Caller, answer: Answer): Promise<ConnectionAsk> {
  const { db, envelope } = parts;
  const user = signedInUser(caller);
  const grant = authorize(user, 'connection.change', theOrg);
  const session_id = requireSession(user);
  const of = { state_hash: hashOf(answer.state), user_id: user.id, session_id };
  // Used up before the code goes out, so a code is tried once.
  const begun = await db.transaction(async (tx) => await store.take(tx, of));
  if (begun === undefined)
    throw new Problem('link_used', {
      detail: 'This sign-in was not begun in this session, or it has ended.',
      hint: 'Begin again in this browser.',
    });
  const ask = await ownAsk(db, user, begun.ask_id);
  const server = await askedServer(db, ask);
  const { ref, team } = server.asset;
  const given = await signingIn(ref, async () => await exchange(parts, server, begun, answer));
  await change(db, grant, 'connection.made', async (tx, note) => {
    await endOwn(tx, ask);
    const { server_id, address, issuer, resource, client_id, scopes } = begun;
    const made = { user_id: user.id, server_id, address, oauth: { issuer, resource, client_id, scopes } };
    await keepConnection(tx, envelope, { ...made, ...received(given) });
    note({ address, issuer, by: 'oauth' }, { asset: ref, team: team.name });
  });
  return await printAsk(parts, ask);
}

async function exchange(
  parts: ConnectionParts,
  server: ServerAsUser,
  begun: store.SignInRow,
  { server: named, code, iss, error }: Answer,
): Promise<OAuthTokens> {
  const { outbound, envelope } = parts;
  const { issuer, redirect_uri, client_id } = begun;
  // Each server has its own redirect URI, so the authorization server of one cannot send the code of another one here.
  if (named !== server.asset.name || server.address !== begun.address)
    throw new SignInFailed('the answer is for another server.');
  if (error !== undefined) throw new SignInFailed(`its authorization server refuses (${errorCodeOf(error)}).`);
  if (code === undefined) throw new SignInFailed('its authorization server has sent no code.');
  const { metadata, resource } = await discover(outbound, server.address, { issuer });
  const client = await clientOf(parts, server, { issuer, client_id });
  if (client === undefined) throw new SignInFailed('the config of the server names another client now.');
  try {
    return await exchangeAuthorization(issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      iss,
      codeVerifier: envelope.open(begun.sealed_verifier, verifierRow(begun.id)),
      redirectUri: redirect_uri,
      resource,
      fetchFn: boundedFetch(outbound),
    });
  } catch (failure) {
    if (failure instanceof OAuthError && failure.code === 'invalid_client')
      await forgetClient(parts, { server_id: begun.server_id, issuer, client_id });
    throw failure;
  }
}

/** Only bearer tokens (RFC 6750) can be sent on. */
export function received({ access_token, refresh_token, expires_in, token_type }: OAuthTokens): {
  tokens: Tokens;
  expires_at: string | null;
} {
  if (token_type.toLowerCase() !== 'bearer' || !/^[\w.~+/=-]{1,16384}$/.test(access_token))
    throw new SignInFailed('its tokens are no bearer tokens.');
  return {
    tokens: { access: access_token, ...(refresh_token !== undefined && { refresh: refresh_token }) },
    expires_at: expires_in === undefined ? null : new Date(Date.now() + expires_in * 1000).toISOString(),
  };
}
