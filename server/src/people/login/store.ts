import { isBefore, type PresenceOf } from '../../ground/copies/copies.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import type { ProvenIdentity } from './providers/provider.ts';

/**
 * Undefined when no active user has the identity, or when their password changed since the read. The rows stay locked until the transaction
 * ends. So a change of the password finds every session of the old one.
 */
export async function insertSession(
  tx: Tx,
  id: string,
  { provider, subject, password_hash }: ProvenIdentity,
  lifetime_seconds: number,
): Promise<OpenedSession | undefined> {
  const user = await tx.one<Pick<OpenedSession, 'user_id' | 'email' | 'must_change_password'>>(sql`
    select u.id as user_id, u.email, u.must_change_password from app_user u join user_identity i on i.user_id = u.id
    where i.provider = ${provider} and i.subject = ${subject} and u.active
      and (${password_hash ?? null}::text is null or u.password_hash = ${password_hash ?? null}) for share`);
  if (user === undefined) return undefined;
  const session = await tx.one<{ expires_at: string }>(sql`
    insert into session (id, user_id, expires_at)
    values (${id}, ${user.user_id}, clock_now() + make_interval(secs => ${lifetime_seconds})) returning expires_at`);
  return session && { ...user, ...session };
}

interface OpenedSession {
  user_id: string;
  email: string;
  must_change_password: boolean;
  expires_at: string;
}

/** An SQL expression: the open ones of these sessions, as `<session>:<subject>`. The session of a key ends with its key. */
export const openSessions = (ids: readonly string[]): Sql => sql`array(
  select s.id || ':' || coalesce(s.user_id, k.principal_id) from session s left join service_key k on k.id = s.key_id
  where s.id = any(${ids}) and s.revoked_at is null and s.expires_at > clock_now() and (k.ends_at is null or k.ends_at > clock_now()))`;

/** The question of the copies, for one caller and in a transaction. */
export async function isPresent(db: Reader, { presence, subject }: PresenceOf): Promise<boolean> {
  if ('session' in presence) {
    const { session } = presence;
    return (await db.one(sql`select where ${`${session}:${subject}`} = any(${openSessions([session])})`)) !== undefined;
  }
  const row = await db.one<{ now: string }>(sql`select clock_now() as now`);
  return row !== undefined && isBefore(row.now, presence.until);
}

/** Undefined when the key has ended since it was read. */
export async function insertKeySession(
  tx: Tx,
  id: string,
  key_id: string,
  lifetime_seconds: number,
): Promise<{ expires_at: string } | undefined> {
  return await tx.one<{ expires_at: string }>(sql`
    insert into session (id, key_id, expires_at)
    select ${id}, id, clock_now() + make_interval(secs => ${lifetime_seconds}) from service_key
    where id = ${key_id} and (ends_at is null or ends_at > clock_now()) for share
    returning expires_at`);
}

export async function revokeSession(tx: Tx, id: string | null): Promise<number> {
  return await tx.run(sql`update session set revoked_at = clock_now() where id = ${id} and revoked_at is null`);
}

/** All sessions of a user or a service principal, except the kept one. */
export async function revokeSessions(tx: Tx, subject: string, keep: string | null): Promise<number> {
  return await tx.run(sql`
    update session set revoked_at = clock_now() where id is distinct from ${keep} and revoked_at is null
      and (user_id = ${subject} or key_id in (select id from service_key where principal_id = ${subject}))`);
}

/** Seconds until the window of the fullest key ends; undefined when no key is at its limit. */
export async function blockedFor(db: Reader, limits: { key: string; max: number }[]): Promise<number | undefined> {
  const row = await db.one<{ seconds: number | null }>(sql`
    select ceil(extract(epoch from max(window_ends_at - clock_now())))::int as seconds
    from login_failure join unnest(${limits.map(({ key }) => key)}::text[], ${limits.map(({ max }) => max)}::int[]) as l (k, max) on key = k
    where window_ends_at > clock_now() and failures >= l.max`);
  return row?.seconds ?? undefined;
}

export async function countFailure(tx: Tx, keys: string[], window_seconds: number): Promise<void> {
  await tx.run(sql`
    insert into login_failure (key, failures, window_ends_at)
    select k, 1, clock_now() + make_interval(secs => ${window_seconds}) from unnest(${keys}::text[]) as k order by k
    on conflict (key) do update set
      failures = case when login_failure.window_ends_at > clock_now() then login_failure.failures + 1 else 1 end,
      window_ends_at = case when login_failure.window_ends_at > clock_now() then login_failure.window_ends_at else excluded.window_ends_at end`);
}

/** Expired rows are deleted, a few at a time, by each sign-in. Guesses at unknown names leave rows, too. */
export async function forgetOld(tx: Tx): Promise<void> {
  await tx.run(sql`
    delete from login_failure where key in (
      select key from login_failure where window_ends_at < clock_now() order by window_ends_at limit 100 for update skip locked)`);
  await tx.run(sql`
    delete from session where id in (
      select id from session where expires_at < clock_now() order by expires_at limit 100 for update skip locked)`);
}

export async function forgetFailures(tx: Tx, key: string): Promise<void> {
  await tx.run(sql`delete from login_failure where key = ${key}`);
}
