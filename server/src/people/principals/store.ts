import type { OrgSettings } from '@gantry/contract/people/org.ts';
import type { Role } from '@gantry/contract/roles.ts';
import type { HeldGrant, Membership } from '../../governance/access/caller.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import { readingColumn } from '../../governance/access/reading-grants.ts';
import type { Reader } from '../../ground/database/database.ts';
import { countRows } from '../../ground/database/count-rows.ts';
import { nothing, sql, type Sql } from '../../ground/database/sql.ts';
import { whereAdminOf, type Person } from './policy.ts';

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

export type Settings = OrgSettings;

const userColumns = sql`id, email, name, role, active, must_change_password, primary_team_id, created_at`;

export const userByEmail = async (db: Reader, email: string) =>
  await db.one<UserRow>(
    sql`select ${userColumns} from app_user where email = ${email.toLowerCase()} and removed_at is null`,
  );

/** A removed one too. */
export const userOfAnyTime = async (db: Reader, id: string) =>
  await db.one<UserRow>(sql`select ${userColumns} from app_user where id = ${id}`);

export const userById = async (db: Reader, id: string) =>
  await db.one<UserRow>(sql`select ${userColumns} from app_user where id = ${id} and removed_at is null`);

/** Users with their team roles, groups and reading grants, as of one moment. */
export const usersWithTeams = async (db: Reader, ids: readonly string[]) =>
  await db.all<UserRow & { memberships: Membership[]; groups: string[]; reading: HeldGrant[] }>(sql`
    select ${userColumns}, (
      select coalesce(json_agg(json_build_object('team_id', t.id, 'team', t.name, 'role', m.role) order by t.name), '[]')
      from membership m join team t on t.id = m.team_id where m.user_id = app_user.id
    ) as memberships, (select coalesce(json_agg(group_id), '[]') from group_member where user_id = app_user.id) as groups,
    ${readingColumn(sql`app_user.id`, sql`select group_id from group_member where user_id = app_user.id`)}
    from app_user where id = any(${ids})`);

export async function settings(db: Reader): Promise<Settings> {
  const row = await db.one<Settings>(
    sql`select auth_provider, require_approval_for_admins, enforce_password_change, approvals_required, approval_expires_after_days,
      agent_egress, required_guardrails, reveal_gateway_keys, hide_trace_inputs, hide_trace_outputs, memory_kept_days, admins_read_threads, share_threads_days,
        message_file_mb, tool_arguments_kb, tool_result_kb, tool_call_seconds, tool_calls_at_once, knowledge_base_documents, knowledge_base_mb, approve_outgoing_after, mcp_registry, waiting_runs_told_after_minutes,
      browser_origins from org`,
  );
  if (row === undefined) throw new Error('there is no organisation yet: the installation was not seeded');
  return row;
}

/** The names of the providers with which people sign in. A later version may have stored one that this version does not know. */
export async function offeredProviders(db: Reader): Promise<string[]> {
  return [(await settings(db)).auth_provider];
}

/** The organisation's id is also the installation's id. */
export async function orgId(db: Reader): Promise<string> {
  const row = await db.one<{ id: string }>(sql`select id from org`);
  if (row === undefined) throw new Error('there is no organisation yet: the installation was not seeded');
  return row.id;
}

export interface UserFilter {
  email?: string | undefined;
  /** A part of the e-mail address or the name. */
  text?: string | undefined;
  role?: Role | undefined;
  /** The removed ones, of which several can have one address. */
  removed: boolean;
}

export async function users(
  db: Reader,
  { after, limit, ...filter }: UserFilter & { after?: [email: string, id: string] | undefined; limit: number },
): Promise<UserRow[]> {
  return await db.all<UserRow>(sql`
    select ${userColumns} from app_user where ${whereFiltered(filter)}
      ${after === undefined ? nothing : sql`and (email, id) > (${after[0]}, ${after[1]}::uuid)`} order by email, id limit ${limit}`);
}

export const countUsers = async (db: Reader, filter: UserFilter): Promise<number> =>
  await countRows(db, sql`app_user where ${whereFiltered(filter)}`);

const whereFiltered = ({
  email,
  text,
  role,
  removed,
}: UserFilter): Sql => sql`removed_at is ${removed ? sql`not null` : sql`null`}
  ${email === undefined ? nothing : sql`and email = ${email}`}
  ${text === undefined ? nothing : sql`and position(lower(${text}) in lower(email || ' ' || name)) > 0`}
  ${role === undefined ? nothing : sql`and role = ${role}`}`;

export async function since(db: Reader, ids: readonly string[]): Promise<{ id: string; created_at: string }[]> {
  return await db.all(sql`
    select id, created_at from team where id = any(${ids}) union all select id, created_at from app_user where id = any(${ids})`);
}

/** Candidates of isAdminOf() for these teams or the platform, sorted by e-mail, with their roles in these teams. */
export async function admins(db: Reader, team_ids: readonly string[]): Promise<Person[]> {
  return await db.all<Person>(sql`
    select u.id, u.email, u.active, u.role, (
      select coalesce(json_agg(json_build_object('team_id', m.team_id, 'role', m.role)), '[]')
      from membership m where m.user_id = u.id and m.team_id = any(${team_ids})) as memberships
    from app_user u where ${whereAdminOf(team_ids)} order by u.email`);
}

export async function holdRoles(tx: GovernedTx, team_id: string, user_ids: readonly string[]): Promise<void> {
  await tx.run(sql`select from app_user where id = any(${user_ids}) order by id for share`);
  await tx.run(
    sql`select from membership where team_id = ${team_id} and user_id = any(${user_ids}) order by user_id for share`,
  );
}

/** Locks the settings until the transaction ends. Another caller of this function waits. */
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
    approval_expires_after_days = ${next.approval_expires_after_days}, agent_egress = ${next.agent_egress},
    required_guardrails = ${JSON.stringify(next.required_guardrails)}::jsonb, reveal_gateway_keys = ${next.reveal_gateway_keys},
    hide_trace_inputs = ${next.hide_trace_inputs}, hide_trace_outputs = ${next.hide_trace_outputs},
    memory_kept_days = ${next.memory_kept_days}, admins_read_threads = ${next.admins_read_threads}, share_threads_days = ${next.share_threads_days},
    message_file_mb = ${next.message_file_mb}, tool_arguments_kb = ${next.tool_arguments_kb}, tool_result_kb = ${next.tool_result_kb},
    tool_call_seconds = ${next.tool_call_seconds}, tool_calls_at_once = ${next.tool_calls_at_once}, knowledge_base_documents = ${next.knowledge_base_documents},
    knowledge_base_mb = ${next.knowledge_base_mb}, approve_outgoing_after = ${next.approve_outgoing_after}, mcp_registry = ${next.mcp_registry},
    waiting_runs_told_after_minutes = ${next.waiting_runs_told_after_minutes}, browser_origins = ${next.browser_origins} returning id`,
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
  const row = first(
    await tx.write<UserRow>(
      'app_user',
      sql`
      insert into app_user (email, name, role, password_hash, must_change_password, seed_credential)
      values (${user.email}, ${user.name}, ${user.role}, ${user.password_hash}, ${user.must_change_password}, ${user.seed_credential})
      returning ${userColumns}`,
    ),
  );
  await putLocalIdentity(tx, row.id);
  return row;
}

/** Who has a password signs in with it. */
async function putLocalIdentity(tx: GovernedTx, user_id: string): Promise<void> {
  await tx.write(
    'user_identity',
    sql`insert into user_identity (provider, subject, user_id) values ('local', ${user_id}, ${user_id})
      on conflict (provider, subject) do nothing returning id`,
  );
}

/** Replaces the proven password; undefined if it is no longer the account's password, or the account is disabled. */
export async function replacePassword(
  tx: GovernedTx,
  { id, password_hash: proven }: { id: string; password_hash: string },
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

/** Sets a password without the previous one. It can also enable the account again. */
export async function putPassword(
  tx: GovernedTx,
  user_id: string,
  { password_hash, must_change_password, enable = false }: GivenPassword,
): Promise<void> {
  const rows = await tx.write(
    'app_user',
    sql`
      update app_user set password_hash = ${password_hash}, must_change_password = ${must_change_password},
        seed_credential = false, active = active or ${enable}
      where id = ${user_id} and removed_at is null returning id`,
  );
  if (rows.length > 0) await putLocalIdentity(tx, user_id);
}

interface GivenPassword {
  password_hash: string;
  must_change_password: boolean;
  enable?: boolean;
}

export interface UserChange {
  name: string;
  role: Role;
  active: boolean;
}

/** Locks the row, so that the noted state before the change is correct. */
export const lockUser = async (tx: GovernedTx, id: string) =>
  await tx.one<UserRow>(sql`select ${userColumns} from app_user where id = ${id} and removed_at is null for update`);

export const holdUser = async (tx: GovernedTx, id: string) =>
  (await tx.one(sql`select 1 from app_user where id = ${id} and removed_at is null for key share`)) !== undefined;

export async function updateUser(tx: GovernedTx, id: string, { name, role, active }: UserChange): Promise<UserRow> {
  return first(
    await tx.write<UserRow>(
      'app_user',
      sql`update app_user set name = ${name}, role = ${role}, active = ${active} where id = ${id} returning ${userColumns}`,
    ),
  );
}

/** The row stays, so that past actions keep the name. Nobody signs in with it again. */
export async function markRemoved(tx: GovernedTx, id: string): Promise<void> {
  await tx.write(
    'app_user',
    sql`update app_user set active = false, removed_at = clock_now(), password_hash = null, primary_team_id = null where id = ${id} returning id`,
  );
  await tx.write('user_identity', sql`delete from user_identity where user_id = ${id} returning id`);
}

export interface Credential extends UserRow {
  /** Null for a user who signs in elsewhere. */
  password_hash: string | null;
  seed_credential: boolean;
}

export async function credential(db: Reader, email: string): Promise<Credential | undefined> {
  return await db.one<Credential>(
    sql`select ${userColumns}, password_hash, seed_credential from app_user where email = ${email.toLowerCase()} and removed_at is null`,
  );
}

function first<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}
