import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

type TokenKind = 'invitation' | 'reset';

export interface NewToken {
  user_id: string;
  kind: TokenKind;
  made_by: string;
  lifetime_hours: number;
}

/** The caller has ended the user's open token before. */
export async function insertToken(
  tx: GovernedTx,
  { user_id, kind, made_by, lifetime_hours }: NewToken,
): Promise<{ id: string; expires_at: string }> {
  const [row] = await tx.write<{ id: string; expires_at: string }>(
    'password_token',
    sql`
      insert into password_token (user_id, kind, made_by, expires_at)
      values (${user_id}, ${kind}, ${made_by},
        date_trunc('milliseconds', clock_now()) + make_interval(hours => ${lifetime_hours}::int)) returning id, expires_at`,
  );
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}

export async function endTokens(tx: GovernedTx, user_id: string): Promise<void> {
  await tx.write(
    'password_token',
    sql`update password_token set ended_at = clock_now() where user_id = ${user_id} and ended_at is null returning id`,
  );
}

/** False when it was used, replaced or has expired. */
export async function takeToken(tx: GovernedTx, id: string): Promise<boolean> {
  const rows = await tx.write(
    'password_token',
    sql`
      update password_token set used_at = clock_now(), ended_at = clock_now()
      where id = ${id} and ended_at is null and expires_at > clock_now() returning id`,
  );
  return rows.length > 0;
}

/** Is the last token an unused invitation? */
export async function isInvited(db: Reader, user_id: string): Promise<boolean> {
  const row = await db.one<{ invited: boolean }>(sql`
    select kind = 'invitation' and used_at is null as invited from password_token
    where user_id = ${user_id} order by created_at desc, id limit 1`);
  return row?.invited ?? false;
}

export interface OpenToken {
  user_id: string;
  email: string;
  kind: TokenKind;
  made_by: string;
  expires_at: string;
}

/** Undefined when it was used, replaced or has expired, or the account is disabled. */
export async function openToken(db: Reader, id: string): Promise<OpenToken | undefined> {
  return await db.one<OpenToken>(sql`
    select t.user_id, u.email, t.kind, t.made_by, t.expires_at from password_token t join app_user u on u.id = t.user_id
    where t.id = ${id} and t.ended_at is null and t.expires_at > clock_now() and u.active`);
}

/** The end of each open token of these users. */
export async function openUntil(db: Reader, user_ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.all<{ user_id: string; expires_at: string }>(sql`
    select user_id, expires_at from password_token
    where user_id = any(${user_ids}) and ended_at is null and expires_at > clock_now()`);
  return new Map(rows.map(({ user_id, expires_at }) => [user_id, expires_at]));
}

/** The e-mail of its user, also for a token that no longer works. */
export async function holderOf(db: Reader, id: string): Promise<string | undefined> {
  const row = await db.one<{ email: string }>(
    sql`select u.email from password_token t join app_user u on u.id = t.user_id where t.id = ${id}`,
  );
  return row?.email;
}
