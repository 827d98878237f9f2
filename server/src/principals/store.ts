import type { Role } from '@gantry/contract/roles.ts';
import type { Membership } from '../access/caller.ts';
import type { GovernedTx } from '../access/change.ts';
import type { Reader } from '../database/database.ts';
import { nothing, sql } from '../database/sql.ts';

export interface TeamRow {
  id: string;
  name: string;
  created_at: string;
}

export interface UserRow {
  id: string;
  email: string;
  name: string;
  role: Role;
  active: boolean;
  must_change_password: boolean;
  primary_team_id: string | null;
  created_at: string;
}

export interface MemberRow {
  team_id: string;
  team: string;
  user_id: string;
  email: string;
  role: Role;
}

export interface Settings {
  auth_provider: string;
  require_approval_for_admins: boolean;
  enforce_password_change: boolean;
  /** How many admins have to approve a version. */
  approvals_required: number;
  /** How long a request waits for them; null: for ever. */
  approval_expires_after_days: number | null;
}

const userColumns = sql`id, email, name, role, active, must_change_password, primary_team_id, created_at`;

export const teamByName = async (db: Reader, name: string) =>
  await db.one<TeamRow>(sql`select id, name, created_at from team where name = ${name}`);
export const userByEmail = async (db: Reader, email: string) =>
  await db.one<UserRow>(sql`select ${userColumns} from app_user where email = ${email.toLowerCase()}`);
/** A user and their roles in teams, as they stand at one moment. */
export const userWithTeams = async (db: Reader, id: string, provided = sql`true`) =>
  await db.one<UserRow & { memberships: Membership[] }>(sql`
    select ${userColumns}, (
      select coalesce(json_agg(json_build_object('team_id', t.id, 'team', t.name, 'role', m.role) order by t.name), '[]')
      from membership m join team t on t.id = m.team_id where m.user_id = app_user.id
    ) as memberships from app_user where id = ${id} and ${provided}`);

export async function settings(db: Reader): Promise<Settings> {
  const row = await db.one<Settings>(
    sql`select auth_provider, require_approval_for_admins, enforce_password_change, approvals_required, approval_expires_after_days from org`,
  );
  if (row === undefined) throw new Error('there is no organisation yet: the installation was not seeded');
  return row;
}

/** The organisation's id stands for the installation. */
export async function orgId(db: Reader): Promise<string> {
  const row = await db.one<{ id: string }>(sql`select id from org`);
  if (row === undefined) throw new Error('there is no organisation yet: the installation was not seeded');
  return row.id;
}

/** Teams by name; `member_id` narrows to those that a user is in. */
export async function teams(
  db: Reader,
  query: { member_id?: string | undefined; after?: string | undefined; limit: number },
): Promise<TeamRow[]> {
  const member =
    query.member_id === undefined
      ? nothing
      : sql`and exists (select 1 from membership where team_id = team.id and user_id = ${query.member_id})`;
  return await db.all<TeamRow>(
    sql`select id, name, created_at from team where name > ${query.after ?? ''} ${member} order by name limit ${query.limit}`,
  );
}

export async function users(db: Reader, query: { after?: string | undefined; limit: number }): Promise<UserRow[]> {
  return await db.all<UserRow>(
    sql`select ${userColumns} from app_user where email > ${query.after ?? ''} order by email limit ${query.limit}`,
  );
}

export async function membersOfTeams(db: Reader, team_ids: readonly string[]): Promise<MemberRow[]> {
  return await db.all<MemberRow>(sql`
    select m.team_id, t.name as team, m.user_id, u.email, m.role from membership m join team t on t.id = m.team_id join app_user u on u.id = m.user_id
    where m.team_id = any(${team_ids}) order by u.email`);
}

export async function membershipsOfUsers(db: Reader, user_ids: readonly string[]): Promise<MemberRow[]> {
  return await db.all<MemberRow>(sql`
    select m.team_id, t.name as team, m.user_id, u.email, m.role from membership m join team t on t.id = m.team_id join app_user u on u.id = m.user_id
    where m.user_id = any(${user_ids}) order by t.name`);
}

/** What teams and users are called, by id. */
export async function names(db: Reader, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  return await db.all<{ id: string; name: string }>(sql`
    select id, name from team where id = any(${ids}) union all select id, email as name from app_user where id = any(${ids})`);
}

/** Active platform admins and admins of the team, by e-mail. */
export async function admins(db: Reader, team_id: string): Promise<string[]> {
  const rows = await db.all<{ email: string }>(sql`
    select email from app_user u where active and (role = 'admin'
      or exists (select 1 from membership where user_id = u.id and team_id = ${team_id} and membership.role = 'admin')) order by email`);
  return rows.map((row) => row.email);
}

/** How many can decide: active platform admins, with those of a team where one is named. */
export async function countDeciders(db: Reader, team_id: string | undefined): Promise<number> {
  const row = await db.one<{ count: number }>(sql`
    select count(*) from app_user u where active and (role = 'admin'
      or exists (select 1 from membership where user_id = u.id and team_id = ${team_id ?? null} and membership.role = 'admin'))`);
  return row?.count ?? 0;
}

/** The settings do not change until the transaction ends, and whoever else asks for them so waits. */
export async function holdSettings(tx: GovernedTx): Promise<void> {
  await tx.one(sql`select 1 from org for update`);
}

export async function insertOrg(tx: GovernedTx): Promise<void> {
  await tx.write('org', sql`insert into org default values returning id`);
}

export async function hasOrg(db: Reader): Promise<boolean> {
  return (await db.one(sql`select 1 from org`)) !== undefined;
}

export async function updateSettings(tx: GovernedTx, next: Settings): Promise<void> {
  await tx.write(
    'org',
    sql`update org set auth_provider = ${next.auth_provider}, require_approval_for_admins = ${next.require_approval_for_admins},
    enforce_password_change = ${next.enforce_password_change}, approvals_required = ${next.approvals_required},
    approval_expires_after_days = ${next.approval_expires_after_days} returning id`,
  );
}

export async function insertTeam(tx: GovernedTx, name: string): Promise<TeamRow> {
  return first(
    await tx.write<TeamRow>('team', sql`insert into team (name) values (${name}) returning id, name, created_at`),
  );
}

export interface NewUser {
  email: string;
  name: string;
  role: Role;
  password_hash: string;
  must_change_password: boolean;
  seed_credential: boolean;
}

export async function insertUser(tx: GovernedTx, user: NewUser): Promise<UserRow> {
  return first(
    await tx.write<UserRow>(
      'app_user',
      sql`
      insert into app_user (email, name, role, password_hash, must_change_password, seed_credential)
      values (${user.email}, ${user.name}, ${user.role}, ${user.password_hash}, ${user.must_change_password}, ${user.seed_credential})
      returning ${userColumns}`,
    ),
  );
}

/** A password in place of the one that was proven; undefined when that is not the account's any more, or the account is disabled. */
export async function replacePassword(
  tx: GovernedTx,
  { id, password_hash: proven }: Pick<Credential, 'id' | 'password_hash'>,
  password_hash: string,
): Promise<UserRow | undefined> {
  const [row] = await tx.write<UserRow>(
    'app_user',
    sql`
      update app_user set password_hash = ${password_hash}, must_change_password = false, seed_credential = false
      where id = ${id} and active and password_hash = ${proven} returning ${userColumns}`,
  );
  return row;
}

/** A password whatever the one before was, to be changed at the first sign-in; enables the account again. */
export async function resetPassword(tx: GovernedTx, user_id: string, password_hash: string): Promise<void> {
  await tx.write(
    'app_user',
    sql`
      update app_user set password_hash = ${password_hash}, must_change_password = true, seed_credential = false, active = true
      where id = ${user_id} returning id`,
  );
}

/** The role before, or undefined when the user was not in the team. The first team becomes the primary one. */
export async function putMember(
  tx: GovernedTx,
  team_id: string,
  user_id: string,
  role: Role,
): Promise<Role | undefined> {
  const before = await tx.one<{ role: Role }>(
    sql`select role from membership where team_id = ${team_id} and user_id = ${user_id} for update`,
  );
  if (before?.role === role) return before.role;
  await tx.write(
    'membership',
    sql`
    insert into membership (team_id, user_id, role) values (${team_id}, ${user_id}, ${role})
    on conflict (team_id, user_id) do update set role = excluded.role returning id`,
  );
  await tx.write(
    'app_user',
    sql`update app_user set primary_team_id = ${team_id} where id = ${user_id} and primary_team_id is null returning id`,
  );
  return before?.role;
}

/** The role that they had, or undefined when they were not in the team. The primary team moves on to another of theirs. */
export async function deleteMember(tx: GovernedTx, team_id: string, user_id: string): Promise<Role | undefined> {
  const [gone] = await tx.write<{ id: string; role: Role }>(
    'membership',
    sql`delete from membership where team_id = ${team_id} and user_id = ${user_id} returning id, role`,
  );
  await tx.write(
    'app_user',
    sql`
    update app_user set primary_team_id = (select team_id from membership where user_id = ${user_id} order by created_at limit 1)
    where id = ${user_id} and primary_team_id = ${team_id} returning id`,
  );
  return gone?.role;
}

export interface Credential extends UserRow {
  password_hash: string;
  seed_credential: boolean;
}

export async function credential(db: Reader, email: string): Promise<Credential | undefined> {
  return await db.one<Credential>(
    sql`select ${userColumns}, password_hash, seed_credential from app_user where email = ${email.toLowerCase()}`,
  );
}

function first<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}
