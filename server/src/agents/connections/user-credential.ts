// The credential of a person for one request to a server. It is read for each request, so a removed connection ends at once.
import { Problem } from '@gantry/contract/problems.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import * as store from './connection-store.ts';
import { refreshed } from './oauth/refresh.ts';
import { signingIn } from './oauth/sign-in-failed.ts';
import type { ConnectionParts } from './parts.ts';
import type { ServerAsUser } from './server-as-user.ts';
import { openTokens } from './tokens.ts';

interface OfUser {
  user: { id: string; label: string };
  server: ServerAsUser;
}

/** A token is renewed this long before it ends. */
const early_ms = 60_000;

/** Throws `connection_needed` or `connection_failed`. */
export async function userCredential(parts: ConnectionParts, { user, server }: OfUser): Promise<string> {
  const row = await store.find(parts.db, { user_id: user.id, server_id: server.asset.id });
  if (row === undefined || row.is_ended || row.address !== server.address) throw needed(server.asset, user);
  await store.noteUse(parts.db, row.id);
  if (!isOld(row)) return openTokens(parts.envelope, row).access;
  return await renew(parts, { user, server }, { id: row.id, isStale: isOld });
}

/** After the server has refused `token`: another one. Throws `connection_needed` when there is none. */
export async function nextCredential(parts: ConnectionParts, of: OfUser, token: string): Promise<string> {
  const row = await store.find(parts.db, { user_id: of.user.id, server_id: of.server.asset.id });
  if (row === undefined || row.address !== of.server.address) throw needed(of.server.asset, of.user);
  return await renew(parts, of, { id: row.id, isStale: (_, { access }) => access === token });
}

async function renew(
  parts: ConnectionParts,
  { user, server }: OfUser,
  of: Parameters<typeof refreshed>[2],
): Promise<string> {
  const tokens = await signingIn(server.asset.ref, async () => await refreshed(parts, server, of));
  if (tokens === undefined) throw needed(server.asset, user);
  return tokens.access;
}

function isOld({ expires_at }: store.ConnectionRow): boolean {
  return expires_at !== null && Date.parse(expires_at) - early_ms <= Date.now();
}

function needed({ ref, name }: AssetRecord, { label }: { label: string }): Problem {
  return new Problem('connection_needed', {
    detail: `${label} is not connected to ${ref}, or the connection has ended.`,
    hint: `They connect: svc connect ${name}`,
  });
}
