import { Problem } from '@gantry/contract/problems.ts';
import { parseRef } from '@gantry/contract/refs.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller, UserCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { findAssetById, type AssetRecord } from '../../assets/registry/find.ts';
import { signedInUser } from '../../people/principals/signed-in.ts';
import * as store from './connection-store.ts';
import { revokeTokens } from './oauth/revoke.ts';
import type { ConnectionParts } from './parts.ts';
import { serverAsUser } from './server-as-user.ts';
import { openTokens } from './tokens.ts';

interface ToRemove {
  /** Of the server. */
  name: string;
  /** Only the consent for this one. */
  asset?: string | undefined;
}

/** Throws `not_found`. The person is disconnected also when the authorization server does not answer. */
export async function removeConnection(
  parts: ConnectionParts,
  caller: Caller,
  { name, asset }: ToRemove,
): Promise<{ is_revoked: boolean }> {
  const { db } = parts;
  const user = signedInUser(caller);
  authorize(user, 'connection.change', theOrg);
  const connection = (await store.listOf(db, user.id)).find(({ server }) => server === name);
  const server = connection && (await findAssetById(db, connection.server_id, null));
  if (connection === undefined || server === undefined)
    throw new Problem('not_found', { detail: 'You have no such connection.', hint: 'See: svc connections' });
  if (asset !== undefined) {
    await removeConsent(parts, user, { connection, server, asset });
    return { is_revoked: false };
  }
  // Before the row goes: a process that dies here leaves a connection that the person can remove again.
  const is_revoked = await revoked(parts, server, connection);
  await change(db, authorize(user, 'connection.change', theOrg), 'connection.removed', async (tx, note) => {
    if ((await store.remove(tx, connection.id)) === 0) return;
    note({ address: connection.address, is_revoked }, { asset: server.ref, team: server.team.name });
  });
  return { is_revoked };
}

async function removeConsent(
  { db }: ConnectionParts,
  user: UserCaller,
  { connection, server, asset }: { connection: store.ConnectionRow; server: AssetRecord; asset: string },
): Promise<void> {
  const ref = parseRef(asset) === undefined ? `agents/${asset}` : asset;
  const consent = (await store.consentsTo(db, [connection.id])).find((one) => one.asset === ref);
  if (consent === undefined)
    throw new Problem('not_found', { detail: `${ref} does not act in your name at ${server.ref}.` });
  const { connection_id, asset_id } = consent;
  await change(db, authorize(user, 'connection.change', theOrg), 'connection.removed', async (tx, note) => {
    if ((await store.removeConsent(tx, { connection_id, asset_id })) === 0) return;
    note({ agent: ref }, { asset: server.ref, team: server.team.name });
  });
}

async function revoked(parts: ConnectionParts, server: AssetRecord, connection: store.ConnectionRow): Promise<boolean> {
  if (connection.issuer === null) return false;
  try {
    const of = await serverAsUser(parts.db, server);
    return await revokeTokens(parts, of, connection, openTokens(parts.envelope, connection));
  } catch {
    return false; // The answer says so, and the token ends with its time.
  }
}
