import type { NotificationKind } from '@gantry/contract/notifications.ts';
import type { UserCaller } from '../access/caller.ts';
import { whereCanRead } from '../access/decide.ts';
import type { Reader, Tx } from '../database/database.ts';
import { allOf, sql, type Sql } from '../database/sql.ts';
import type { Person } from '../principals/policy.ts';
import { isTold, whereTold, type Happened } from './policy.ts';

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

const columns = sql`n.id, n.seq, n.user_id, n.kind, n.approval_id, n.asset_id, n.asset, n.version, n.target, n.actor, n.words, n.created_at, n.read_at`;
/** Candidates of stillTold(). */
const toldTo = (caller: UserCaller): Sql =>
  sql`notification n join asset a on a.id = n.asset_id where n.user_id = ${caller.id} and ${whereCanRead(caller)}`;

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

/** One notification for each who is told, and a mail with each where mail is sent. */
export async function tell(tx: Tx, news: News, { mail }: { mail: boolean }): Promise<void> {
  const about = await tx.one<Omit<Happened, 'audience' | 'actor_id'>>(sql`
    select r.submitted_by, a.team_id, a.owner_id, not exists (select from app_user where id = r.submitted_by) as by_machine
    from approval r join asset a on a.id = r.asset_id where r.id = ${news.approval_id}`);
  if (about === undefined) return;
  const happened = { ...about, audience: news.audience, actor_id: news.actor.id };
  const people = await tx.all<Omit<Person, 'email'>>(sql`
    select u.id, u.active, u.role, (
      select coalesce(json_agg(json_build_object('team_id', m.team_id, 'role', m.role)), '[]')
      from membership m where m.user_id = u.id and m.team_id = ${about.team_id}) as memberships
    from app_user u where ${whereTold(happened)}`);
  const told = people.filter((person) => isTold(person, happened)).map(({ id }) => id);
  await tx.run(sql`
    with told as (
      insert into notification (seq, user_id, kind, approval_id, asset_id, asset, version, target, actor, words)
      select ${news.seq}::bigint, u.id, ${news.kind}, r.id, r.asset_id, ${news.asset}, r.version, r.target, ${news.actor.name}, ${news.words}
      from approval r, unnest(${told}::uuid[]) as u (id) where r.id = ${news.approval_id}
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
    sql`select ${columns} from ${toldTo(caller)} and ${allOf(conditions)} order by n.seq desc, n.id desc limit ${limit}`,
  );
}

export async function oneOf(db: Reader, caller: UserCaller, id: string): Promise<NotificationRow | undefined> {
  return await db.one<NotificationRow>(sql`select ${columns} from ${toldTo(caller)} and n.id = ${id}`);
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

/** How many unread ones there are, of each asset. */
export async function unreadByAsset(db: Reader, caller: UserCaller): Promise<{ asset_id: string; unread: number }[]> {
  return await db.all(
    sql`select n.asset_id, count(*) as unread from ${toldTo(caller)} and n.read_at is null group by n.asset_id`,
  );
}
