import { notificationDays, toldToAdmins, type NotificationKind } from '@gantry/contract/notifications.ts';
import type { UserCaller } from '../access/caller.ts';
import type { Reader, Tx } from '../database/database.ts';
import { allOf, sql, type Sql } from '../database/sql.ts';
import type { Retention } from '../queue/forget.ts';
import { readableBy } from '../registry/find.ts';

export interface NotificationRow {
  id: string;
  seq: number;
  user_id: string;
  kind: NotificationKind;
  approval_id: string;
  asset_id: string;
  asset: string;
  version: string;
  target: string;
  actor: string;
  words: string;
  created_at: string;
  read_at: string | null;
}

/**
 * Of what somebody was told, what they may still know, for every reader of it: nothing of an asset that is gone or that they may not read by
 * now, and the words of a request only while they are admin, of the asset's team, or the one that it is about.
 */
const stillTold = (caller: UserCaller): Sql =>
  sql`notification n join asset a on a.id = n.asset_id where n.user_id = ${caller.id} and ${readableBy(caller)}`;

function columns(caller: UserCaller): Sql {
  const teams = caller.memberships.map(({ team_id }) => team_id);
  const inside = sql`(n.kind <> all(${toldToAdmins}) or ${caller.role === 'admin'} or a.team_id = any(${teams}) or a.owner_id = ${caller.id})`;
  return sql`n.id, n.seq, n.user_id, n.kind, n.approval_id, n.asset_id, n.asset, n.version, n.target, n.actor,
    case when ${inside} then n.words else '' end as words, n.created_at, n.read_at`;
}

export interface NewNotification {
  seq: number;
  kind: NotificationKind;
  approval_id: string;
  asset: string;
  actor: { id: string | null; name: string };
  words: string;
  audience: 'admins' | 'submitter';
}

/**
 * One for each of the audience but whoever did it; answers their ids. What a service principal submitted is answered to the owner of the
 * asset.
 */
export async function insert(tx: Tx, one: NewNotification): Promise<string[]> {
  const audience =
    one.audience === 'submitter'
      ? sql`u.id = coalesce((select id from app_user where id = r.submitted_by), a.owner_id)`
      : sql`u.id <> r.submitted_by and (u.role = 'admin'
          or exists (select 1 from membership m where m.user_id = u.id and m.team_id = a.team_id and m.role = 'admin'))`;
  const rows = await tx.all<{ id: string }>(sql`
    insert into notification (seq, user_id, kind, approval_id, asset_id, asset, version, target, actor, words)
    select ${one.seq}::bigint, u.id, ${one.kind}, r.id, a.id, ${one.asset}, r.version, r.target, ${one.actor.name}, ${one.words}
    from approval r join asset a on a.id = r.asset_id join app_user u on u.active and ${audience}
    where r.id = ${one.approval_id} and u.id is distinct from ${one.actor.id}::uuid
    on conflict do nothing returning id`);
  return rows.map(({ id }) => id);
}

export async function recipientOf(db: Reader, id: string): Promise<{ user_id: string } | undefined> {
  return await db.one<{ user_id: string }>(sql`select user_id from notification where id = ${id}`);
}

export interface Listing {
  unread: boolean;
  after?: { seq: number; id: string } | undefined;
  limit: number;
}

/** Newest first. */
export async function listed(
  db: Reader,
  caller: UserCaller,
  { unread, after, limit }: Listing,
): Promise<NotificationRow[]> {
  const conditions: Sql[] = [sql`true`];
  if (unread) conditions.push(sql`n.read_at is null`);
  if (after !== undefined) conditions.push(sql`(n.seq, n.id) < (${after.seq}::bigint, ${after.id}::uuid)`);
  return await db.all<NotificationRow>(
    sql`select ${columns(caller)} from ${stillTold(caller)} and ${allOf(conditions)} order by n.seq desc, n.id desc limit ${limit}`,
  );
}

export async function oneOf(db: Reader, caller: UserCaller, id: string): Promise<NotificationRow | undefined> {
  return await db.one<NotificationRow>(sql`select ${columns(caller)} from ${stillTold(caller)} and n.id = ${id}`);
}

export async function markRead(db: Tx, user_id: string, ids: readonly string[]): Promise<void> {
  await db.run(
    sql`update notification set read_at = clock_now() where user_id = ${user_id} and id = any(${ids}) and read_at is null`,
  );
}

/** What was told, read or not. */
export const retention: Retention = {
  table: sql`notification`,
  since: sql`created_at`,
  keep_hours: 24 * notificationDays,
};

/** Pending requests that the caller may decide: nobody decides about a request of their own, or about content that they pushed. */
export async function counts(db: Reader, caller: UserCaller): Promise<{ pending: number; unread: number }> {
  const teams = caller.memberships.filter(({ role }) => role === 'admin').map(({ team_id }) => team_id);
  const row = await db.one<{ pending: number; unread: number }>(sql`
    select
      (select count(*) from approval r join asset a on a.id = r.asset_id join version v on v.id = r.version_id
       where r.status = 'pending' and (
           not exists (select from approval_vote w where w.approval_id = r.id and w.user_id = ${caller.id})
           or (select count(*) from approval_vote w join app_user u on u.id = w.user_id where w.approval_id = r.id and u.active)
             >= greatest(r.approvals_asked, (select approvals_required from org)))
         and (${caller.role === 'admin'} or a.team_id = any(${teams}))
         and r.submitted_by <> ${caller.id} and ${caller.id} <> all(v.authors)
         and not exists (select from service_key k
           where k.issued_to = ${caller.id} and (k.principal_id = r.submitted_by or k.principal_id = any(v.authors)))) as pending,
      (select count(*) from ${stillTold(caller)} and n.read_at is null) as unread`);
  if (row === undefined) throw new Error('a count answered nothing');
  return row;
}
