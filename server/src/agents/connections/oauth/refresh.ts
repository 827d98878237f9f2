import { setTimeout as sleep } from 'node:timers/promises';
import { OAuthError, refreshAuthorization } from '@modelcontextprotocol/client';
import { boundedFetch } from '../../../ground/outbound/bounded-fetch.ts';
import type { ConnectionRow } from '../connection-store.ts';
import * as store from '../connection-store.ts';
import type { ConnectionParts } from '../parts.ts';
import { openTokens, sealTokens, type Tokens } from '../tokens.ts';
import type { ServerAsUser } from '../server-as-user.ts';
import { clientOf } from './client.ts';
import { discover } from './discover.ts';
import { received } from './finish.ts';
import { IssuerChanged, SignInFailed } from './sign-in-failed.ts';

const lease_seconds = 60;
/** For the process that refreshes. */
const wait_ms = 20_000;
const look_every_ms = 150;

interface ToRefresh {
  id: string;
  isStale: (row: ConnectionRow, tokens: Tokens) => boolean;
}

/**
 * The tokens of the connection after a refresh. Of all processes one refreshes, under a lease of the row, and the others wait for what it gets: a
 * refresh token works once. Undefined when the authorization server gives no more; then the connection has ended. Throws the reason of a failure.
 */
export async function refreshed(
  parts: ConnectionParts,
  server: ServerAsUser,
  { id, isStale }: ToRefresh,
): Promise<Tokens | undefined> {
  const { db, envelope } = parts;
  const until = performance.now() + wait_ms;
  while (performance.now() < until) {
    const row = await store.byId(db, id);
    if (row === undefined || row.is_ended) return undefined;
    const tokens = openTokens(envelope, row);
    if (!isStale(row, tokens)) return tokens;
    const leased = await store.leaseRefresh(db, { id, seconds: lease_seconds });
    if (leased !== undefined) await refreshLeased(parts, server, { leased, isStale });
    else await sleep(look_every_ms);
  }
  throw new SignInFailed('another process has asked its authorization server, which does not answer.');
}

async function refreshLeased(
  parts: ConnectionParts,
  server: ServerAsUser,
  { leased, isStale }: Pick<ToRefresh, 'isStale'> & { leased: ConnectionRow & { refresh_until: string } },
): Promise<void> {
  const { db, envelope } = parts;
  try {
    const tokens = openTokens(envelope, leased);
    // Another process was first, between the look and the lease.
    if (!isStale(leased, tokens)) return await store.endLease(db, leased);
    const given = await askForTokens(parts, server, leased, tokens);
    if (given === undefined) return await store.setEnded(db, leased);
    const { tokens: now, expires_at } = given;
    const sealed = sealTokens(envelope, leased.id, now);
    await store.setTokens(db, leased, { sealed, expires_at, is_refreshed: now.refresh !== undefined });
  } catch (error) {
    await store.endLease(db, leased);
    throw error;
  }
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
    const fetchFn = boundedFetch(parts.outbound);
    const asked = { metadata, clientInformation: client, refreshToken: refresh, resource, fetchFn };
    return received(await refreshAuthorization(issuer, asked));
  } catch (error) {
    if (error instanceof OAuthError && ['invalid_grant', 'invalid_client'].includes(error.code)) return undefined;
    if (error instanceof IssuerChanged) return undefined;
    throw error;
  }
}
