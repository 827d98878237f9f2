import type { ClientScope } from '@gantry/contract/people/clients.ts';
import type { Reader, Tx } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';

export interface GrantRow {
  id: string;
  user_id: string;
  client_id: string;
  client_name: string;
  redirect_uri: string;
  resource: string;
  scopes: ClientScope[];
  allowed_at: string;
  last_used_at: string | null;
  expires_at: string;
}

type NewGrant = Omit<GrantRow, 'id' | 'allowed_at' | 'last_used_at' | 'expires_at'>;

export async function insert(tx: Tx, made: NewGrant, minutes: number): Promise<GrantRow> {
  const row = await tx.one<GrantRow>(sql`
    insert into client_grant (user_id, client_id, client_name, redirect_uri, resource, scopes, expires_at)
    values (${made.user_id}, ${made.client_id}, ${made.client_name}, ${made.redirect_uri}, ${made.resource}, ${made.scopes},
      clock_now() + make_interval(mins => ${minutes})) returning *`);
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}

export const insertCode = async (
  tx: Tx,
  {
    digest,
    grant_id,
    code_challenge,
    seconds,
  }: { digest: Buffer; grant_id: string; code_challenge: string; seconds: number },
) =>
  await tx.run(sql`
    insert into client_code (digest, grant_id, code_challenge, expires_at)
    values (${digest}, ${grant_id}, ${code_challenge}, clock_now() + make_interval(secs => ${seconds}))`);

export const insertRefreshToken = async (tx: Tx, { digest, grant_id }: { digest: Buffer; grant_id: string }) =>
  await tx.run(sql`insert into client_refresh_token (digest, grant_id) values (${digest}, ${grant_id})`);

/** The grant of a code, locked. `is_first` is false for one that was used, or has expired. */
export async function takeCode(tx: Tx, digest: Buffer) {
  const grant = await lockBy(tx, sql`select grant_id from client_code where digest = ${digest}`);
  const taken = await tx.one<{ code_challenge: string }>(sql`
    update client_code set used_at = clock_now() where digest = ${digest} and used_at is null and expires_at > clock_now() returning code_challenge`);
  return grant && { grant, code_challenge: taken?.code_challenge };
}

/** The grant of a refresh token, locked. `is_first` is false for one that was used. */
export async function takeRefreshToken(tx: Tx, digest: Buffer) {
  const grant = await lockBy(tx, sql`select grant_id from client_refresh_token where digest = ${digest}`);
  const taken = await tx.run(
    sql`update client_refresh_token set used_at = clock_now() where digest = ${digest} and used_at is null`,
  );
  return grant && { grant, is_first: taken === 1 };
}

/** Of any token of it: the digest of a refresh token, or the id that an access token names. */
export const byRefreshToken = async (tx: Tx, digest: Buffer) =>
  await lockBy(tx, sql`select grant_id from client_refresh_token where digest = ${digest}`);

// The lock orders the uses of one grant, so that of two at once one is the second.
const lockBy = async (tx: Tx, id: ReturnType<typeof sql>) =>
  await tx.one<GrantRow>(sql`select * from client_grant where id = (${id}) and expires_at > clock_now() for update`);

export const byId = async (db: Reader, id: string) =>
  await db.one<GrantRow>(sql`select * from client_grant where id = ${id} and expires_at > clock_now()`);

/** The newest first. */
export const listOf = async (db: Reader, user_id: string) =>
  await db.all<GrantRow>(sql`
    select * from client_grant where user_id = ${user_id} and expires_at > clock_now() order by allowed_at desc, id`);

/** Undefined for a user who is not active. */
export async function openSession(
  tx: Tx,
  grant: Pick<GrantRow, 'id' | 'user_id'>,
  { session_id, seconds, days }: { session_id: string; seconds: number; days: number },
): Promise<{ email: string } | undefined> {
  const user = await tx.one<{ email: string }>(
    sql`select email from app_user where id = ${grant.user_id} and active for share`,
  );
  if (user === undefined) return undefined;
  await tx.run(sql`
    insert into session (id, user_id, grant_id, expires_at)
    values (${session_id}, ${grant.user_id}, ${grant.id}, clock_now() + make_interval(secs => ${seconds}))`);
  await tx.run(sql`
    update client_grant set expires_at = clock_now() + make_interval(days => ${days}) where id = ${grant.id}`);
  return user;
}

/** To the minute, so that many calls write one row once. */
export const noteUse = async (db: Tx, id: string) =>
  await db.run(sql`
    update client_grant set last_used_at = clock_now()
    where id = ${id} and (last_used_at is null or last_used_at < clock_now() - interval '1 minute')`);

/** With its codes, tokens and sessions. */
export const remove = async (tx: Tx, id: string) => await tx.run(sql`delete from client_grant where id = ${id}`);

export const removeOf = async (tx: Tx, user_id: string) =>
  await tx.run(sql`delete from client_grant where user_id = ${user_id}`);

export const forgetOld = async (tx: Tx) => await tx.run(sql`delete from client_grant where expires_at < clock_now()`);
