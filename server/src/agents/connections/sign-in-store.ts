import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface SignInRow {
  id: string;
  ask_id: string;
  user_id: string;
  session_id: string;
  state_hash: Buffer;
  server_id: string;
  address: string;
  resource: string;
  issuer: string;
  redirect_uri: string;
  client_id: string;
  scopes: string[];
  sealed_verifier: Buffer;
}

export async function begin(tx: Tx, row: SignInRow, minutes: number): Promise<void> {
  await tx.run(sql`
    insert into connection_sign_in (id, ask_id, user_id, session_id, state_hash, server_id, address, resource, issuer, redirect_uri, client_id, scopes,
      sealed_verifier, expires_at)
    values (${row.id}, ${row.ask_id}, ${row.user_id}, ${row.session_id}, ${row.state_hash}, ${row.server_id}, ${row.address}, ${row.resource},
      ${row.issuer}, ${row.redirect_uri}, ${row.client_id}, ${row.scopes}, ${row.sealed_verifier}, clock_now() + make_interval(mins => ${minutes}))`);
}

/** Once, and only for the session that has begun it. Another session does not use it up. */
export const take = async (
  tx: Tx,
  { state_hash, user_id, session_id }: Pick<SignInRow, 'state_hash' | 'user_id' | 'session_id'>,
) =>
  await tx.one<SignInRow>(sql`
    update connection_sign_in set used_at = clock_now()
    where state_hash = ${state_hash} and user_id = ${user_id} and session_id = ${session_id} and used_at is null and expires_at > clock_now()
    returning *`);

export async function forgetOld(tx: Tx): Promise<void> {
  await tx.run(sql`delete from connection_sign_in where expires_at < clock_now() - interval '1 day'`);
}

export interface ClientRow {
  id: string;
  server_id: string;
  issuer: string;
  redirect_uri: string;
  client_id: string;
  sealed: Buffer;
}

export const clientAt = async (
  db: Reader,
  { server_id, issuer, redirect_uri }: Pick<ClientRow, 'server_id' | 'issuer' | 'redirect_uri'>,
) =>
  await db.one<ClientRow>(sql`
    select id, server_id, issuer, redirect_uri, client_id, sealed from connection_client
    where server_id = ${server_id} and issuer = ${issuer} and redirect_uri = ${redirect_uri}`);

export const clientOf = async (db: Reader, of: Pick<ClientRow, 'server_id' | 'issuer' | 'client_id'>) =>
  await db.one<ClientRow>(sql`
    select id, server_id, issuer, redirect_uri, client_id, sealed from connection_client
    where server_id = ${of.server_id} and issuer = ${of.issuer} and client_id = ${of.client_id}`);

/** The first registration counts. */
export async function keepClient(tx: Tx, row: ClientRow): Promise<void> {
  await tx.run(sql`
    insert into connection_client (id, server_id, issuer, redirect_uri, client_id, sealed)
    values (${row.id}, ${row.server_id}, ${row.issuer}, ${row.redirect_uri}, ${row.client_id}, ${row.sealed}) on conflict do nothing`);
}

export const removeClient = async (tx: Tx, id: string) =>
  await tx.run(sql`delete from connection_client where id = ${id}`);
