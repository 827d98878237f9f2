import { toldToAdmins, type NotificationKind } from '@gantry/contract/notifications.ts';
import type { UserCaller } from '../access/caller.ts';
import type { Reader, Tx } from '../database/database.ts';
import { allOf, sql, type Sql } from '../database/sql.ts';
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

/** The number that was dealt with last, held until commit: one at a time moves it on. */
export async function holdCursor(tx: Tx): Promise<number> {
  const row = await tx.one<{ seq: number }>(sql`select seq from notification_cursor for update`);
  if (row === undefined) throw new Error('the cursor of the notifications is gone');
  return row.seq;
}

/** Is there an entry that nobody was told of yet? */
export async function isBehind(db: Reader): Promise<boolean> {
  return (
    (await db.one(
      sql`select 1 from notification_cursor c join audit.head h on h.chain = 'governance' where h.seq > c.seq`,
    )) !== undefined
  );
}

export async function moveCursor(tx: Tx, seq: number): Promise<void> {
  await tx.run(sql`update notification_cursor set seq = ${seq}`);
}

export interface News {
  seq: number;
  kind: NotificationKind;
  approval_id: string;
  asset: string;
  actor: { id: string | null; name: string };
  words: string;
  audience: 'admins' | 'submitter';
}

/**
 * One notification for each of the audience but whoever did it, and a mail with each where mail is sent. What a service principal submitted is
 * answered to the owner of the asset.
 */
export async function tell(tx: Tx, news: News, { mail }: { mail: boolean }): Promise<void> {
  const audience =
    news.audience === 'submitter'
      ? sql`u.id = coalesce((select id from app_user where id = r.submitted_by), a.owner_id)`
      : sql`u.id <> r.submitted_by and (u.role = 'admin'
          or exists (select 1 from membership m where m.user_id = u.id and m.team_id = a.team_id and m.role = 'admin'))`;
  await tx.run(sql`
    with told as (
      insert into notification (seq, user_id, kind, approval_id, asset_id, asset, version, target, actor, words)
      select ${news.seq}::bigint, u.id, ${news.kind}, r.id, a.id, ${news.asset}, r.version, r.target, ${news.actor.name}, ${news.words}
      from approval r join asset a on a.id = r.asset_id join app_user u on u.active and ${audience}
      where r.id = ${news.approval_id} and u.id is distinct from ${news.actor.id}::uuid
      on conflict do nothing returning id
    )
    insert into mail (notification_id) select id from told where ${mail}::boolean`);
}

/** Whom it is for, and what it says, is looked up when it is sent. */
export async function queuePasswordMail(tx: Tx, password_token_id: string): Promise<void> {
  await tx.run(sql`
    insert into mail (password_token_id) select id from password_token where id = ${password_token_id} on conflict do nothing`);
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

/** What was told so long ago, read or not, and the mail that goes with it; some at a time, and true when there may be more. */
export async function forgetOld(db: Tx, { keep_days, most }: { keep_days: number; most: number }): Promise<boolean> {
  const forgotten = await db.run(sql`
    delete from notification where id in (
      select id from notification where created_at < clock_now() - make_interval(days => ${keep_days})
      order by created_at limit ${most} for update skip locked)`);
  return forgotten === most;
}

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
