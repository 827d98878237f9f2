import type { Connection, ConnectionAsk } from '@gantry/contract/agents/connections.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findAssetById } from '../../assets/registry/find.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { printAsk } from './ask.ts';
import * as asks from './ask-store.ts';
import * as store from './connection-store.ts';
import type { ConnectionParts } from './parts.ts';
import { serverAsUser } from './server-as-user.ts';

/** Those of the caller. A service principal has none. */
export async function showConnections(
  parts: Pick<ConnectionParts, 'db' | 'base_url'>,
  caller: Caller,
): Promise<{ connections: Connection[]; asks: ConnectionAsk[] }> {
  const user = signedIn(caller);
  authorize(user, 'connection.read', theOrg);
  const rows = await store.listOf(parts.db, user.id);
  const consents = await store.consentsTo(
    parts.db,
    rows.map(({ id }) => id),
  );
  const waiting = await asks.waitingOf(parts.db, user.id);
  return {
    connections: await Promise.all(rows.map(async (row) => await print(parts.db, row, consents))),
    asks: (await Promise.all(waiting.map(async (row) => await printed(parts, row)))).flat(),
  };
}

/** For a badge. */
export async function countAsks(db: Reader, user_id: string, most: number): Promise<number> {
  return await asks.countOf(db, { user_id, most });
}

async function print(
  db: Reader,
  { id, server, server_id, address, is_ended, ...row }: store.ConnectionRow & { server: string },
  consents: readonly store.ConsentRow[],
): Promise<Connection> {
  const { issuer, connected_at, last_used_at, expires_at, is_refreshed } = row;
  return {
    server: `mcp-servers/${server}`,
    address,
    issuer,
    is_void: is_ended || (await addressNow(db, server_id)) !== address,
    connected_at,
    last_used_at,
    expires_at,
    is_refreshed,
    agents: consents
      .filter(({ connection_id }) => connection_id === id)
      .map(({ asset, calls, writes, allowed_at }) => ({ asset, calls, writes, allowed_at })),
  };
}

/** Undefined for a server that is called in another way now. */
async function addressNow(db: Reader, server_id: string): Promise<string | undefined> {
  const asset = await findAssetById(db, server_id, null);
  if (asset === undefined) return undefined;
  return (await unlessGone(async () => await serverAsUser(db, asset)))?.address;
}

/** Nothing, when its server is gone meanwhile or called in another way now. */
async function printed(parts: Pick<ConnectionParts, 'db' | 'base_url'>, row: asks.AskRow): Promise<ConnectionAsk[]> {
  const ask = await unlessGone(async () => await printAsk(parts, row));
  return ask === undefined ? [] : [ask];
}

async function unlessGone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem && ['not_found', 'not_callable'].includes(error.code)) return undefined;
    throw error;
  }
}
