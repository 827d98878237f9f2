import type { Role } from '@gantry/contract/roles.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { whereListedOfTeam } from './policy.ts';

export interface TeamRow {
  id: string;
  name: string;
  created_at: string;
}

export interface MemberRow {
  team_id: string;
  team: string;
  user_id: string;
  email: string;
  role: Role;
}

export const teamByName = async (db: Reader, name: string) =>
  await db.one<TeamRow>(sql`select id, name, created_at from team where name = ${name}`);

/** Candidates of isListedOfTeam(), sorted by name. */
export async function teams(
  db: Reader,
  { caller, after = '', limit }: { caller: SignedInCaller; after?: string | undefined; limit: number },
): Promise<TeamRow[]> {
  return await db.all<TeamRow>(sql`
    select id, name, created_at from team where name > ${after} and ${whereListedOfTeam(caller, sql`id`)} order by name limit ${limit}`);
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

export async function insertTeam(tx: GovernedTx, name: string): Promise<TeamRow> {
  const [row] = await tx.write<TeamRow>(
    'team',
    sql`insert into team (name) values (${name}) returning id, name, created_at`,
  );
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}

/** Returns the previous role; undefined for a new member. A user's first team becomes the primary team. */
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

/** Returns the previous role; undefined for a non-member. The user also leaves the team's groups, and another team becomes the primary team. */
export async function deleteMember(tx: GovernedTx, team_id: string, user_id: string): Promise<Role | undefined> {
  await tx.write(
    'group_member',
    sql`delete from group_member where team_id = ${team_id} and user_id = ${user_id} returning id`,
  );
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

/** A team's groups, as `group:<name>`. */
export async function groupsOfTeam(db: Reader, team_id: string): Promise<string[]> {
  const rows = await db.all<{ name: string }>(
    sql`select name from user_group where team_id = ${team_id} order by name`,
  );
  return rows.map(({ name }) => `group:${name}`);
}

export const holdTeam = async (tx: GovernedTx, id: string) =>
  (await tx.one(sql`select 1 from team where id = ${id} for key share`)) !== undefined;

export async function lockTeam(tx: GovernedTx, team_id: string): Promise<void> {
  await tx.one(sql`select id from team where id = ${team_id} for update`);
}

export async function deleteTeam(tx: GovernedTx, team_id: string): Promise<void> {
  await tx.write('group_member', sql`delete from group_member where team_id = ${team_id} returning id`);
  await tx.write('membership', sql`delete from membership where team_id = ${team_id} returning id`);
  await tx.write(
    'app_user',
    sql`
    update app_user set primary_team_id = (select team_id from membership where user_id = app_user.id order by created_at limit 1)
    where primary_team_id = ${team_id} returning id`,
  );
  await tx.write('team', sql`delete from team where id = ${team_id} returning id`);
}
