import { notification_days, type AccountKind, type RequestKind } from '@gantry/contract/telling/notifications.ts';
import type { Membership, UserCaller } from '../../governance/access/caller.ts';
import { whereCanRead } from '../../governance/access/decide.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { allOf, sql, type Sql } from '../../ground/database/sql.ts';
import { whereAdminOf, type Person } from '../../people/principals/policy.ts';
import type { Retention } from '../../ground/queue/forget.ts';
import {
  isRecipient,
  isToldOfAccount,
  isToldOfCall,
  runsToTell,
  whereRecipient,
  whereToldOfAccount,
  whereToldOfRuns,
  type AboutAccount,
  type AboutCall,
  type AboutRuns,
  type Happened,
  type Subject,
} from './policy.ts';

export type NotificationRow = RequestRow | AccountRow | RunsRow | CallsRow | QuestionsRow;

interface Row extends Subject {
  id: string;
  seq: number;
  user_id: string;
  actor: string;
  words: string;
  created_at: string;
  read_at: string | null;
}

export interface RequestRow extends Row {
  kind: RequestKind;
  approval_id: string;
  asset_id: string;
  asset: string;
  version: string;
  target: string;
  account: null;
  notice_id: null;
  call_id: null;
  question_id: null;
}

export interface AccountRow extends Row {
  kind: AccountKind;
  approval_id: null;
  asset: null;
  version: null;
  target: null;
  account: string;
  notice_id: null;
  call_id: null;
  question_id: null;
}

/** About waiting runs of an agent. */
export interface RunsRow extends Row {
  kind: 'runs_wait';
  approval_id: null;
  asset_id: string;
  asset: string;
  version: null;
  target: null;
  account: null;
  /** Leads to the runs. */
  notice_id: string;
  call_id: null;
  question_id: null;
}

/** About waiting calls of the tools of a server. */
export interface CallsRow extends Row {
  kind: 'calls_wait';
  approval_id: null;
  /** The server. */
  asset_id: string;
  asset: string;
  version: null;
  target: null;
  account: null;
  notice_id: null;
  /** The first of them. */
  call_id: string;
  question_id: null;
}

/** About questions of a server to the user. */
export interface QuestionsRow extends Row {
  kind: 'questions_wait';
  approval_id: null;
  /** The server. */
  asset_id: string;
  asset: string;
  version: null;
  target: null;
  account: null;
  notice_id: null;
  call_id: null;
  /** The first of them. */
  question_id: string;
}

const subject = sql`n.account, n.team_id, n.is_own, n.asset_id`;
const columns = sql`n.id, n.seq, n.user_id, n.kind, n.approval_id, n.asset, n.version, n.target, n.actor, n.words, n.created_at, n.read_at, n.notice_id, n.call_id, n.question_id, ${subject}`;
/** Candidates of readablePart(). */
const candidatesFor = (caller: UserCaller): Sql =>
  sql`notification n left join asset a on a.id = n.asset_id
    where n.user_id = ${caller.id} and (n.asset_id is null or n.is_own or (a.id is not null and ${whereCanRead(caller)}))`;

export interface NewNotification {
  seq: number;
  kind: RequestKind;
  approval_id: string;
  asset: string;
  actor: { id: string | null; name: string };
  words: string;
  audience: 'admins' | 'submitter';
}

/** One per recipient; returns their ids. */
export async function insert(tx: Tx, one: NewNotification): Promise<string[]> {
  const about = await tx.one<Omit<Happened, 'audience' | 'actor_id'>>(sql`
    select r.submitted_by, a.team_id, a.owner_id, not exists (select from app_user where id = r.submitted_by) as by_machine
    from approval r join asset a on a.id = r.asset_id where r.id = ${one.approval_id}`);
  if (about === undefined) return [];
  const happened = { ...about, audience: one.audience, actor_id: one.actor.id };
  const people = await candidates(tx, about.team_id, whereRecipient(happened));
  const recipients = people.filter((person) => isRecipient(person, happened)).map(({ id }) => id);
  const rows = await tx.all<{ id: string }>(sql`
    insert into notification (seq, user_id, kind, approval_id, asset_id, asset, version, target, actor, words)
    select ${one.seq}::bigint, u.id, ${one.kind}, r.id, r.asset_id, ${one.asset}, r.version, r.target, ${one.actor.name}, ${one.words}
    from approval r, unnest(${recipients}::uuid[]) as u (id) where r.id = ${one.approval_id}
    on conflict do nothing returning id`);
  return rows.map(({ id }) => id);
}

export interface NewAccountNotification {
  seq: number;
  kind: AccountKind;
  account: string;
  team_id: string | null;
  agent_id: string | null;
  /** The member, or the holder of the key. */
  user_id: string | null;
  for_platform: boolean;
  actor: string;
  words: string;
}

/** One for each who can act on the account; returns their ids. */
export async function insertAboutAccount(tx: Tx, one: NewAccountNotification): Promise<string[]> {
  const { seq, kind, account, team_id, agent_id, user_id, for_platform, actor, words } = one;
  const found = await tx.one<Pick<AboutAccount, 'team_has_admin' | 'owner_id'>>(sql`
    select coalesce(${user_id}::uuid, (select owner_id from asset where id = ${agent_id})) as owner_id,
      exists (select from membership m join app_user u on u.id = m.user_id
        where m.team_id = ${team_id} and m.role = 'admin' and u.active) as team_has_admin`);
  const about = { team_has_admin: false, owner_id: null, ...found, team_id, for_platform };
  const people = await candidates(tx, team_id, whereToldOfAccount(about));
  const recipients = people.filter((person) => isToldOfAccount(person, about)).map(({ id }) => id);
  const rows = await tx.all<{ id: string }>(sql`
    insert into notification (seq, user_id, kind, account, team_id, asset_id, is_own, actor, words)
    select ${seq}::bigint, u.id, ${kind}, ${account}, ${team_id}, ${agent_id}, u.id is not distinct from ${user_id}, ${actor}, ${words}
    from unnest(${recipients}::uuid[]) as u (id) on conflict do nothing returning id`);
  return rows.map(({ id }) => id);
}

export interface NewRunsNotification extends AboutRuns {
  seq: number;
  notice_id: string;
  agent: { id: string; ref: string };
  actor: string;
  words: (runs: number) => string;
}

/** One for each who may answer one of the runs; returns their ids. */
export async function insertAboutRuns(tx: Tx, one: NewRunsNotification): Promise<string[]> {
  const { seq, notice_id, agent, actor, words, runs_of } = one;
  const people = await tx.all<Person & { memberships: Membership[] }>(sql`
    select u.id, u.email, u.active, u.role, (
      select coalesce(json_agg(json_build_object('team_id', t.id, 'team', t.name, 'role', m.role)), '[]')
      from membership m join team t on t.id = m.team_id where m.user_id = u.id) as memberships
    from app_user u where ${whereToldOfRuns(one)}`);
  const told = people
    .map((person) => ({ id: person.id, runs: runsToTell(person, one) }))
    .filter(({ runs }) => runs > 0)
    .map(({ id, runs }) => ({ user_id: id, is_own: runs_of.has(id), words: words(runs) }));
  const rows = await tx.all<{ id: string }>(sql`
    insert into notification (seq, user_id, kind, notice_id, asset_id, asset, is_own, actor, words)
    select ${seq}::bigint, user_id, 'runs_wait', ${notice_id}, ${agent.id}, ${agent.ref}, is_own, ${actor}, words
    from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as told (user_id uuid, is_own boolean, words text)
    on conflict do nothing returning id`);
  return rows.map(({ id }) => id);
}

export interface NewCallsNotification extends AboutCall {
  seq: number;
  call_id: string;
  server: { id: string; ref: string };
  actor: string;
  words: string;
}

/** One for each who may decide, unless the last one about this server is younger than 15 minutes; returns their ids. */
export async function insertAboutCall(tx: Tx, one: NewCallsNotification): Promise<string[]> {
  const { seq, call_id, server, actor, words } = one;
  const people = await candidates(tx, one.team_id, whereAdminOf([one.team_id]));
  const recipients = people.filter((person) => isToldOfCall(person, one)).map(({ id }) => id);
  const rows = await tx.all<{ id: string }>(sql`
    insert into notification (seq, user_id, kind, call_id, asset_id, asset, is_own, actor, words)
    select ${seq}::bigint, u.id, 'calls_wait', ${call_id}, ${server.id}, ${server.ref}, false, ${actor}, ${words}
    from unnest(${recipients}::uuid[]) as u (id)
    where not exists (select from notification n where n.user_id = u.id and n.kind = 'calls_wait' and n.asset_id = ${server.id}
      and n.created_at > clock_now() - interval '15 minutes')
    on conflict do nothing returning id`);
  return rows.map(({ id }) => id);
}

export interface NewQuestionNotification {
  seq: number;
  question_id: string;
  /** Whom the server asks. */
  user_id: string;
  server: { id: string; ref: string };
  actor: string;
  words: string;
}

/** For the person alone, unless the last one about this server is younger than 15 minutes; returns its id. */
export async function insertAboutQuestion(tx: Tx, one: NewQuestionNotification): Promise<string[]> {
  const { seq, question_id, user_id, server, actor, words } = one;
  const rows = await tx.all<{ id: string }>(sql`
    insert into notification (seq, user_id, kind, question_id, asset_id, asset, is_own, actor, words)
    select ${seq}::bigint, u.id, 'questions_wait', ${question_id}, ${server.id}, ${server.ref}, true, ${actor}, ${words}
    from app_user u where u.id = ${user_id} and u.active
      and not exists (select from notification n where n.user_id = u.id and n.kind = 'questions_wait' and n.asset_id = ${server.id}
        and n.created_at > clock_now() - interval '15 minutes')
    on conflict do nothing returning id`);
  return rows.map(({ id }) => id);
}

/** With their roles on the platform and in the team. */
const candidates = async (tx: Tx, team_id: string | null, where: Sql) =>
  await tx.all<Omit<Person, 'email'>>(sql`
    select u.id, u.active, u.role, (
      select coalesce(json_agg(json_build_object('team_id', m.team_id, 'role', m.role)), '[]')
      from membership m where m.user_id = u.id and m.team_id = ${team_id}) as memberships
    from app_user u where ${where}`);

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
    sql`select ${columns} from ${candidatesFor(caller)} and ${allOf(conditions)} order by n.seq desc, n.id desc limit ${limit}`,
  );
}

export async function oneOf(db: Reader, caller: UserCaller, id: string): Promise<NotificationRow | undefined> {
  return await db.one<NotificationRow>(sql`select ${columns} from ${candidatesFor(caller)} and n.id = ${id}`);
}

export async function markRead(db: Tx, user_id: string, ids: readonly string[]): Promise<void> {
  await db.run(
    sql`update notification set read_at = clock_now() where user_id = ${user_id} and id = any(${ids}) and read_at is null`,
  );
}

/** With the position of the notifications in the governance chain, which moves in the transaction that inserts them. */
export const notifiedSince = async (db: Reader, after: number) =>
  await db.all<{ up_to: number; id: string | null; user_id: string | null }>(sql`
    select c.seq as up_to, n.id, n.user_id from audit_cursor c left join notification n on n.seq > ${after}::bigint
    where c.name = 'notifications'`);

/** All notifications, read or not. */
export const retention: Retention = {
  table: sql`notification`,
  since: sql`created_at`,
  keep_hours: 24 * notification_days,
};

/** The number of unread ones per subject. */
export async function unreadBySubject(db: Reader, caller: UserCaller): Promise<(Subject & { unread: number })[]> {
  return await db.all(
    sql`select ${subject}, count(*) as unread from ${candidatesFor(caller)} and n.read_at is null group by ${subject}`,
  );
}
