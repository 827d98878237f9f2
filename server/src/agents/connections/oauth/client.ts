// The client that the service is at an authorization server: the one that the server's config names, else that of its document where the authorization server
// reads it, else one that the service has registered (RFC 7591).
import { randomUUID } from 'node:crypto';
import { registerClient, type OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import type { Reader } from '../../../ground/database/database.ts';
import type { Envelope, SealedRow } from '../../../ground/envelope/envelope.ts';
import { boundedFetch } from '../../../ground/outbound/bounded-fetch.ts';
import type { ConnectionParts } from '../parts.ts';
import type { ServerAsUser } from '../server-as-user.ts';
import * as store from '../sign-in-store.ts';
import { clientMetadata, documentAddress, isKnownByDocument } from './client-document.ts';
import type { Authorization } from './discover.ts';
import { SignInFailed } from './sign-in-failed.ts';

type Client = OAuthClientInformationMixed;

export async function clientFor(
  parts: ConnectionParts,
  server: ServerAsUser,
  authorization: Authorization,
  redirect_uri: string,
): Promise<Client> {
  const named = await namedClient(parts, server);
  if (named !== undefined) return named;
  const { db, envelope } = parts;
  const at = { server_id: server.asset.id, issuer: authorization.issuer, redirect_uri };
  const kept = await store.clientAt(db, at);
  const known = kept && open(envelope, kept);
  if (known !== undefined && !isOver(known)) return known;
  if (kept === undefined && (await isKnownByDocument(parts, authorization.metadata)))
    return { client_id: documentAddress(parts.base_url(), server.asset.name) };
  if (kept !== undefined) await db.transaction(async (tx) => await store.removeClient(tx, kept.id));
  const made = await register(parts, authorization, redirect_uri);
  const id = randomUUID();
  const sealed = envelope.seal(JSON.stringify(made), rowOf(id));
  await db.transaction(async (tx) => await store.keepClient(tx, { id, ...at, client_id: made.client_id, sealed }));
  const first = await store.clientAt(db, at);
  return first === undefined ? made : open(envelope, first);
}

/** The client with which tokens were made. Undefined when it is no longer known. */
export async function clientOf(
  parts: ConnectionParts,
  server: ServerAsUser,
  { issuer, client_id }: { issuer: string; client_id: string },
): Promise<Client | undefined> {
  const named = await namedClient(parts, server);
  if (named?.client_id === client_id) return named;
  if (client_id === documentAddress(parts.base_url(), server.asset.name)) return { client_id };
  const kept = await store.clientOf(parts.db, { server_id: server.asset.id, issuer, client_id });
  return kept && open(parts.envelope, kept);
}

/** The authorization server knows it no more, so the next sign-in registers anew. */
export async function forgetClient(
  { db }: ConnectionParts,
  of: { server_id: string; issuer: string; client_id: string },
): Promise<void> {
  const kept = await store.clientOf(db, of);
  if (kept !== undefined) await db.transaction(async (tx) => await store.removeClient(tx, kept.id));
}

async function namedClient(
  { db, readCredentials }: { db: Reader } & Pick<ConnectionParts, 'readCredentials'>,
  { asset, oauth }: ServerAsUser,
): Promise<Client | undefined> {
  const { client_id, secret } = oauth ?? {};
  if (client_id === undefined) return undefined;
  if (secret === undefined) return { client_id };
  const client_secret = (await readCredentials(db, asset.team.id, [secret])).get(secret);
  if (client_secret === undefined || client_secret === '')
    throw new SignInFailed(`the secret ${secret} of team ${asset.team.name} is not set.`);
  return { client_id, client_secret };
}

async function register(
  { outbound }: ConnectionParts,
  { issuer, metadata }: Authorization,
  redirect_uri: string,
): Promise<Client> {
  if (metadata.registration_endpoint === undefined)
    throw new SignInFailed(
      `its authorization server registers no clients by itself. Register one there with the redirect URI ${redirect_uri}, and give the config of the server its \`oauth.client_id\`.`,
    );
  const methods = metadata.token_endpoint_auth_methods_supported ?? [];
  // oxlint-disable-next-line typescript/no-deprecated -- of the servers of today, most know no other way for a client that nobody has registered
  return await registerClient(issuer, {
    metadata,
    clientMetadata: clientMetadata(redirect_uri, methods.includes('none') ? 'none' : 'client_secret_basic'),
    fetchFn: boundedFetch(outbound),
  });
}

const rowOf = (id: string): SealedRow => ({ table: 'connection_client', id });

function open(envelope: Envelope, { id, sealed }: store.ClientRow): Client {
  return JSON.parse(envelope.open(sealed, rowOf(id))) as Client; // the SDK has parsed it
}

function isOver(client: Client): boolean {
  const until = 'client_secret_expires_at' in client ? (client.client_secret_expires_at ?? 0) : 0;
  return until !== 0 && until * 1000 <= Date.now();
}
