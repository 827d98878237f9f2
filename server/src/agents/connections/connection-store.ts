import type { Reader, Tx } from '../../ground/database/database.ts';
import { nothing, sql } from '../../ground/database/sql.ts';

export interface ConnectionRow {
  id: string;
  user_id: string;
  server_id: string;
  address: string;
  /** Null: an API key. */
  issuer: string | null;
  resource: string | null;
  client_id: string | null;
  sealed: Buffer;
  expires_at: string | null;
  is_refreshed: boolean;
  /** Of the sign-in. */
  scopes: string[];
  /** The server wants them too. */
  wanted_scopes: string[];
  /** The other side accepts it no more. */
  is_ended: boolean;
  connected_at: string;
  last_used_at: string | null;
}

interface OfServer {
  user_id: string;
  server_id: string;
}

export const find = async (db: Reader, { user_id, server_id }: OfServer) =>
  await db.one<ConnectionRow>(
    sql`select * from user_connection where user_id = ${user_id} and server_id = ${server_id}`,
  );

/** By the name of the server. */
export const listOf = async (db: Reader, user_id: string) =>
  await db.all<ConnectionRow & { server: string }>(sql`
    select c.*, s.name as server from user_connection c join asset s on s.id = c.server_id
    where c.user_id = ${user_id} order by s.name`);

export const byId = async (db: Reader, id: string) =>
  await db.one<ConnectionRow>(sql`select * from user_connection where id = ${id}`);

/** Of all processes, one at a time gets new tokens. Undefined while another one does. */
export const leaseRefresh = async (db: Tx, { id, seconds }: { id: string; seconds: number }) =>
  await db.one<ConnectionRow & { refresh_until: string }>(sql`
    update user_connection set refresh_until = clock_now() + make_interval(secs => ${seconds})
    where id = ${id} and not is_ended and (refresh_until is null or refresh_until < clock_now()) returning *`);

export const lockOf = async (tx: Tx, { user_id, server_id }: OfServer) =>
  await tx.one<ConnectionRow>(
    sql`select * from user_connection where user_id = ${user_id} and server_id = ${server_id} for update`,
  );

export type NewConnection = Omit<ConnectionRow, 'wanted_scopes' | 'is_ended' | 'connected_at' | 'last_used_at'>;

export async function put(tx: Tx, made: NewConnection): Promise<void> {
  await tx.run(sql`
    insert into user_connection (id, user_id, server_id, address, issuer, resource, client_id, sealed, expires_at, is_refreshed, scopes)
    values (${made.id}, ${made.user_id}, ${made.server_id}, ${made.address}, ${made.issuer}, ${made.resource}, ${made.client_id}, ${made.sealed},
      ${made.expires_at}, ${made.is_refreshed}, ${made.scopes})
    on conflict (id) do update set client_id = excluded.client_id, resource = excluded.resource, sealed = excluded.sealed,
      expires_at = excluded.expires_at, is_refreshed = excluded.is_refreshed, scopes = excluded.scopes, wanted_scopes = '{}', is_ended = false, refresh_until = null, connected_at = clock_now()`);
}

/** For the next sign-in of the person. */
export async function want(tx: Tx, { id, scopes }: Pick<ConnectionRow, 'id' | 'scopes'>): Promise<void> {
  await tx.run(sql`update user_connection set wanted_scopes = ${scopes} where id = ${id}`);
}

interface Leased {
  id: string;
  /** A person who connects anew, or another process after this time, has ended the lease. */
  refresh_until: string;
}

/** Nothing is written after the lease. */
export async function setTokens(
  db: Tx,
  { id, refresh_until }: Leased,
  { sealed, expires_at, is_refreshed }: Pick<ConnectionRow, 'sealed' | 'expires_at' | 'is_refreshed'>,
): Promise<void> {
  await db.run(sql`
    update user_connection set sealed = ${sealed}, expires_at = ${expires_at}, is_refreshed = ${is_refreshed}, refresh_until = null
    where id = ${id} and date_trunc('milliseconds', refresh_until) = ${refresh_until}`);
}

export async function setEnded(db: Tx, { id, refresh_until }: Leased): Promise<void> {
  await db.run(sql`
    update user_connection set is_ended = true, refresh_until = null
    where id = ${id} and date_trunc('milliseconds', refresh_until) = ${refresh_until}`);
}

export async function endLease(db: Tx, { id, refresh_until }: Leased): Promise<void> {
  await db.run(sql`
    update user_connection set refresh_until = null
    where id = ${id} and date_trunc('milliseconds', refresh_until) = ${refresh_until}`);
}

/** To the minute, so that many calls write one row once. */
export async function noteUse(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    update user_connection set last_used_at = clock_now()
    where id = ${id} and (last_used_at is null or last_used_at < clock_now() - interval '1 minute')`);
}

export const remove = async (tx: Tx, id: string) => await tx.run(sql`delete from user_connection where id = ${id}`);

export const removeOf = async (tx: Tx, user_id: string) =>
  await tx.run(sql`delete from user_connection where user_id = ${user_id}`);

export interface ConsentRow {
  connection_id: string;
  asset_id: string;
  /** agents/<name> or orchestrations/<name> */
  asset: string;
  calls: boolean;
  writes: string[];
  allowed_at: string;
}

export const consentsTo = async (db: Reader, connection_ids: readonly string[]) =>
  await db.all<ConsentRow>(sql`
    select c.*, a.kind || 's/' || a.name as asset from connection_consent c join asset a on a.id = c.asset_id
    where c.connection_id = any(${connection_ids}::uuid[]) order by asset`);

/** Adds to what the person has allowed before. */
export async function allow(
  tx: Tx,
  { connection_id, asset_id, calls, writes }: Omit<ConsentRow, 'asset' | 'allowed_at'>,
): Promise<void> {
  await tx.run(sql`
    insert into connection_consent (connection_id, asset_id, calls, writes) values (${connection_id}, ${asset_id}, ${calls}, ${writes})
    on conflict (connection_id, asset_id) do update set calls = connection_consent.calls or excluded.calls,
      writes = array(select distinct unnest(connection_consent.writes || excluded.writes) order by 1), allowed_at = clock_now()`);
}

export const removeConsent = async (
  tx: Tx,
  { connection_id, asset_id }: { connection_id: string; asset_id?: string },
) =>
  await tx.run(sql`
    delete from connection_consent where connection_id = ${connection_id} ${asset_id === undefined ? nothing : sql`and asset_id = ${asset_id}`}`);
