// Reading grants, by immutable ids. Each is written by a governed change. They end with their holder and with their team.
import type { ReadingRight } from '@gantry/contract/roles.ts';
import type { Reader } from '../../ground/database/database.ts';
import { allOf, nothing, sql, type Sql } from '../../ground/database/sql.ts';
import type { SignedInCaller } from './caller.ts';
import type { GovernedTx } from './change.ts';
import { decide } from './decide.ts';
import { theOrg, type Subject } from './subject.ts';

export interface Grantee {
  principal_type: 'user' | 'group' | 'principal';
  principal_id: string;
}

export interface GrantRow extends Grantee {
  id: string;
  right: ReadingRight;
  /** Null for the organisation. */
  team_id: string | null;
  /** The id of a user. */
  granted_by: string;
  created_at: string;
  expires_at: string | null;
  ended: boolean;
}

const columns = sql`g.id, g.reading_right as right, g.principal_type, g.principal_id, g.team_id, g.granted_by,
  g.created_at, g.expires_at, coalesce(g.expires_at <= clock_now(), false) as ended`;

/** A column with the grants of each selected caller that have not ended. `groups` is a query for the ids of the caller's groups. */
export function readingColumn(caller_id: Sql, groups: Sql): Sql {
  return sql`(
    select coalesce(json_agg(json_build_object('id', g.id, 'right', g.reading_right, 'team_id', g.team_id,
      'expires_at', to_char(g.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'group_id', case g.principal_type when 'group' then g.principal_id end) order by g.created_at, g.id), '[]')
    from reading_grant g where (g.expires_at is null or g.expires_at > clock_now())
      and (g.principal_id = ${caller_id} or g.principal_id in (${groups}))) as reading`;
}

export interface GrantFilter {
  right?: ReadingRight | undefined;
  team_id?: string | undefined;
  of_org?: boolean | undefined;
  principal_id?: string | undefined;
}

/** The grants of the filter that mayListGrant() allows, sorted by id. */
export async function listGrants(
  db: Reader,
  {
    caller,
    right,
    team_id,
    of_org,
    principal_id,
    after,
    limit,
  }: GrantFilter & {
    caller?: SignedInCaller;
    after?: string | undefined;
    limit: number;
  },
): Promise<GrantRow[]> {
  const conditions: Sql[] = [];
  if (caller !== undefined) conditions.push(whereMayListGrant(caller));
  if (right !== undefined) conditions.push(sql`g.reading_right = ${right}`);
  if (team_id !== undefined) conditions.push(sql`g.team_id = ${team_id}`);
  if (of_org === true) conditions.push(sql`g.team_id is null`);
  if (principal_id !== undefined) conditions.push(sql`g.principal_id = ${principal_id}`);
  if (after !== undefined) conditions.push(sql`g.id > ${after}`);
  return await db.all<GrantRow>(
    sql`select ${columns} from reading_grant g where ${allOf(conditions)} order by g.id limit ${limit}`,
  );
}

/** The holder, a member of the group, and whoever may change it. */
export function mayListGrant(caller: SignedInCaller, grant: Pick<GrantRow, 'principal_id' | 'team_id'>): boolean {
  if (grant.principal_id === caller.id || caller.groups.includes(grant.principal_id)) return true;
  return decide(caller, ...toChange(grant.team_id)).allowed;
}

/** mayListGrant() as a condition on `reading_grant g`. */
export function whereMayListGrant(caller: SignedInCaller): Sql {
  const own = sql`g.principal_id = any(${[caller.id, ...caller.groups]})`;
  if (caller.kind === 'principal') return own;
  if (caller.role === 'admin') return sql`true`;
  const led = caller.memberships.filter(({ role }) => role === 'admin').map(({ team_id }) => team_id);
  return sql`(${own} or g.team_id = any(${led}))`;
}

/** The permission to give and to take a grant on this team, or on the organisation. */
export function toChange(team_id: string | null, team = ''): ['grant.change' | 'grant.change_org', Subject] {
  return team_id === null ? ['grant.change_org', theOrg] : ['grant.change', { kind: 'team', id: team_id, name: team }];
}

export const grantById = async (db: Reader, id: string) =>
  await db.one<GrantRow>(sql`select ${columns} from reading_grant g where g.id = ${id}`);

interface NewGrant extends Grantee {
  right: ReadingRight;
  team_id: string | null;
  granted_by: string;
  expires_in_seconds: number | null;
}

/** A repeated grant moves the end. The one before is locked, so that the noted end before the change is correct. */
export async function putGrant(tx: GovernedTx, grant: NewGrant): Promise<{ id: string; before: GrantRow | undefined }> {
  const { right, principal_type, principal_id, team_id, granted_by, expires_in_seconds } = grant;
  const same = sql`reading_right = ${right} and principal_id = ${principal_id} and team_id is not distinct from ${team_id}`;
  const held = await tx.one<{ id: string }>(sql`select id from reading_grant where ${same} for update`);
  const before = held && (await grantById(tx, held.id));
  const expires_at = sql`clock_now() + make_interval(secs => ${expires_in_seconds}::integer)`;
  const [row] = await tx.write(
    'reading_grant',
    sql`
    insert into reading_grant (reading_right, principal_type, principal_id, team_id, granted_by, expires_at)
    values (${right}, ${principal_type}, ${principal_id}, ${team_id}, ${granted_by}, ${expires_at})
    on conflict (principal_id, reading_right, team_id) do update set expires_at = excluded.expires_at, granted_by = excluded.granted_by
    returning id`,
  );
  if (row === undefined) throw new Error('the statement returned no row');
  return { id: row.id, before };
}

/** False if it is gone. */
export async function deleteGrant(tx: GovernedTx, id: string): Promise<boolean> {
  return (await tx.write('reading_grant', sql`delete from reading_grant where id = ${id} returning id`)).length === 1;
}

/** The grants to a holder who is removed, or who leaves this team. Returns their number. */
export async function removeGrantsTo(tx: GovernedTx, principal_id: string, team_id?: string): Promise<number> {
  const on = team_id === undefined ? nothing : sql`and team_id = ${team_id}`;
  const rows = await tx.write(
    'reading_grant',
    sql`delete from reading_grant where principal_id = ${principal_id} ${on} returning id`,
  );
  return rows.length;
}

/** The grants on a team that is deleted. Returns their number. */
export async function removeGrantsOn(tx: GovernedTx, team_id: string): Promise<number> {
  const rows = await tx.write('reading_grant', sql`delete from reading_grant where team_id = ${team_id} returning id`);
  return rows.length;
}
