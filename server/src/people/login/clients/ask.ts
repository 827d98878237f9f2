// The request of a client in the browser of a person. Nothing is sent to the client's address before the person has decided, so a request leads nobody to an
// address by itself.
import type { AuthorizationRequest, ClientAsk } from '@gantry/contract/people/clients.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, UserCaller } from '../../../governance/access/caller.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import { sessionOf } from '../../../ground/copies/copies.ts';
import { signedInUser } from '../../principals/signed-in.ts';
import * as store from './ask-store.ts';
import { findClient } from './find-client.ts';
import type { ClientParts } from './parts.ts';
import { isRegistered, readRedirectUri } from './redirect-uri.ts';
import { chooseScopes, readResource } from './resource.ts';

const limits = { minutes: 10, most: 20 };

/** Throws `invalid`, `invalid_client`, `invalid_redirect_uri`, `invalid_target` or `invalid_scope`. */
export async function askToAllow(parts: ClientParts, caller: Caller, asked: AuthorizationRequest): Promise<ClientAsk> {
  const user = signedInUser(caller);
  authorize(user, 'client.change', theOrg);
  const session_id = ownSession(user);
  const client = await findClient(parts, asked.client_id);
  const { redirect_uri, code_challenge } = asked;
  readRedirectUri(redirect_uri);
  if (!isRegistered(client.redirect_uris, redirect_uri))
    throw new Problem('invalid_redirect_uri', { detail: 'The client has not registered this redirect address.' });
  if (asked.response_type !== 'code') throw wrong('/response_type', 'is code');
  if (asked.code_challenge_method !== 'S256') throw wrong('/code_challenge_method', 'is S256 (PKCE)');
  if (!/^[\w-]{43}$/.test(code_challenge)) throw wrong('/code_challenge', 'is 43 characters (PKCE)');
  const { resource, scopes: offered } = readResource(parts.base_url(), asked.resource);
  const scopes = chooseScopes(offered, asked.scope);
  const of_client = { client_id: client.id, client_name: client.name };
  const request = { ...of_client, redirect_uri, state: asked.state ?? null, resource, scopes, code_challenge };
  const row = await parts.db.transaction(
    async (tx) => await store.insert(tx, { user_id: user.id, session_id, ...request }, limits),
  );
  if (row === undefined) throw new Error('the statement returned no row');
  const { id, expires_at } = row;
  return { id, ...of_client, host: hostOf(row), redirect_uri, resource, scopes, expires_at };
}

/** Throws `forbidden` for a caller without a session of this service. */
export function ownSession({ presence }: UserCaller): string {
  const session = sessionOf(presence);
  if (session === null) throw new Problem('forbidden', { detail: 'A client is allowed in a session.' });
  return session;
}

/** Of the document of the client, which only that host can write, else of the address where a person is sent back. */
export function hostOf({ client_id, redirect_uri }: { client_id: string; redirect_uri: string }): string {
  const { host, protocol } = new URL(client_id.startsWith('https://') ? client_id : redirect_uri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.replace(/:$/, '');
}

function wrong(pointer: string, message: string): Problem {
  const detail = `The request of the client is wrong: ${pointer.slice(1)} ${message}.`;
  return new Problem('invalid', { detail, errors: [{ pointer, message }] });
}
