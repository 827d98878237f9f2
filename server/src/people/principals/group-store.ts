import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import { allOf, sql, type Sql } from '../../ground/database/sql.ts';
import type { OfTeams } from './list-of-teams.ts';
import { whereListedOfTeam } from './policy.ts';

export interface GroupRow {
  id: string;
  name: string;
  team_id: string;
  team: string;
  description: string;
  members: { id: string; email: string }[];
  created_at: string;
}

const columns = sql`g.id, g.name, g.team_id, t.name as team, g.description, g.created_at, (
  select coalesce(json_agg(json_build_object('id', u.id, 'email', u.email) order by u.email), '[]')
  from group_member m join app_user u on u.id = m.user_id where m.group_id = g.id and u.active) as members`;
const tables = sql`user_group g join team t on t.id = g.team_id`;

export const groupById = async (db: Reader, id: string) =>
  await db.one<GroupRow>(sql`select ${columns} from ${tables} where g.id = ${id}`);

export const groupByName = async (db: Reader, name: string) =>
  await db.one<GroupRow>(sql`select ${columns} from ${tables} where g.name = ${name}`);

export async function groups(db: Reader, { caller, team, name, after = '', limit }: OfTeams): Promise<GroupRow[]> {
  const conditions: Sql[] = [sql`g.name > ${after}`];
  if (caller !== undefined) conditions.push(whereListedOfTeam(caller, sql`g.team_id`));
  if (team !== undefined) conditions.push(sql`t.name = ${team}`);
  if (name !== undefined) conditions.push(sql`g.name = ${name}`);
  return await db.all<GroupRow>(
    sql`select ${columns} from ${tables} where ${allOf(conditions)} order by g.name limit ${limit}`,
  );
}

export async function insertGroup(
  tx: GovernedTx,
  { name, team_id, description }: { name: string; team_id: string; description: string },
): Promise<string> {
  const [row] = await tx.write(
    'user_group',
    sql`insert into user_group (name, team_id, description) values (${name}, ${team_id}, ${description}) returning id`,
  );
  if (row === undefined) throw new Error('the statement returned no row');
  return row.id;
}

/** Locks the row; undefined if it is gone. */
export const lockGroup = async (tx: GovernedTx, id: string) =>
  await tx.one<{ name: string; description: string }>(
    sql`select name, description from user_group where id = ${id} for update`,
  );

export const holdGroup = async (tx: GovernedTx, id: string) =>
  (await tx.one(sql`select 1 from user_group where id = ${id} for key share`)) !== undefined;

export async function updateGroup(
  tx: GovernedTx,
  id: string,
  { name, description }: { name: string; description: string },
): Promise<void> {
  await tx.write(
    'user_group',
    sql`update user_group set name = ${name}, description = ${description} where id = ${id} returning id`,
  );
}

export async function deleteGroup(tx: GovernedTx, id: string): Promise<void> {
  await tx.write('group_member', sql`delete from group_member where group_id = ${id} returning id`);
  await tx.write('user_group', sql`delete from user_group where id = ${id} returning id`);
}

/** False if they are already in it. The foreign key refuses users outside the group's team. */
export async function insertGroupMember(
  tx: GovernedTx,
  { id, team_id }: Pick<GroupRow, 'id' | 'team_id'>,
  user_id: string,
): Promise<boolean> {
  const rows = await tx.write(
    'group_member',
    sql`
    insert into group_member (group_id, team_id, user_id) values (${id}, ${team_id}, ${user_id})
    on conflict (group_id, user_id) do nothing returning id`,
  );
  return rows.length === 1;
}

export async function deleteGroupMember(tx: GovernedTx, id: string, user_id: string): Promise<boolean> {
  const rows = await tx.write(
    'group_member',
    sql`delete from group_member where group_id = ${id} and user_id = ${user_id} returning id`,
  );
  return rows.length === 1;
}
