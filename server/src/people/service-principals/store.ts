import type { Role } from '@gantry/contract/roles.ts';
import type { HeldGrant } from '../../governance/access/caller.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import { readingColumn } from '../../governance/access/reading-grants.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { allOf, sql, type Sql } from '../../ground/database/sql.ts';
import type { OfTeams } from '../principals/list-of-teams.ts';
import { whereListedOfTeam } from '../principals/policy.ts';

interface KeyRow {
  id: string;
  prefix: string;
  issued_to: string;
  created_at: string;
  last_used_at: string | null;
  ends_at: string | null;
}

export interface ServicePrincipalRow {
  id: string;
  name: string;
  team_id: string;
  team: string;
  role: Role;
  allowed_assets: string[];
  description: string;
  created_by: string;
  created_at: string;
  keys: KeyRow[];
  key_age_days: number | null;
}

const working = sql`k.principal_id = p.id and (k.ends_at is null or k.ends_at > clock_now())`;
const columns = sql`p.id, p.name, p.team_id, t.name as team, p.role, p.allowed_assets, p.description, c.email as created_by, p.created_at, (
    select coalesce(json_agg(json_build_object('id', k.id, 'prefix', k.prefix, 'issued_to', i.email,
      'created_at', to_char(k.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'last_used_at', to_char(u.last_used_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'ends_at', to_char(k.ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by k.created_at desc), '[]')
    from service_key k join app_user i on i.id = k.issued_to left join service_key_use u on u.key_id = k.id where ${working}) as keys,
  (select extract(day from clock_now() - max(k.created_at))::int from service_key k where ${working}) as key_age_days`;
const tables = sql`service_principal p join team t on t.id = p.team_id join app_user c on c.id = p.created_by`;

export const principalById = async (db: Reader, id: string) =>
  await db.one<ServicePrincipalRow>(sql`select ${columns} from ${tables} where p.id = ${id} and p.deleted_at is null`);

export const principalByName = async (db: Reader, name: string) =>
  await db.one<ServicePrincipalRow>(
    sql`select ${columns} from ${tables} where p.name = ${name} and p.deleted_at is null`,
  );

export async function principals(
  db: Reader,
  { caller, team, name, after = '', limit }: OfTeams,
): Promise<ServicePrincipalRow[]> {
  const conditions: Sql[] = [sql`p.deleted_at is null and p.name > ${after}`];
  if (caller !== undefined) conditions.push(whereListedOfTeam(caller, sql`p.team_id`));
  if (team !== undefined) conditions.push(sql`t.name = ${team}`);
  if (name !== undefined) conditions.push(sql`p.name = ${name}`);
  return await db.all<ServicePrincipalRow>(
    sql`select ${columns} from ${tables} where ${allOf(conditions)} order by p.name limit ${limit}`,
  );
}

/** A team's service principals. */
export const namesInTeam = async (db: Reader, team_id: string) =>
  await db.all<{ name: string }>(
    sql`select name from service_principal where team_id = ${team_id} and deleted_at is null order by name`,
  );

/** Names of teams, groups, users and service principals, by id. */
export async function names(db: Reader, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  return await db.all<{ id: string; name: string }>(sql`
    select id, name from team where id = any(${ids}) union all select id, name from user_group where id = any(${ids})
    union all select id, email from app_user where id = any(${ids}) union all select id, name from service_principal where id = any(${ids})`);
}

/** These service principals, with the facts for a caller. */
export const callers = async (db: Reader, ids: readonly string[]) =>
  await db.all<
    Pick<ServicePrincipalRow, 'id' | 'name' | 'team_id' | 'team' | 'role' | 'allowed_assets'> & { reading: HeldGrant[] }
  >(sql`
    select p.id, p.name, p.team_id, t.name as team, p.role, p.allowed_assets, ${readingColumn(sql`p.id`, sql`select null::uuid`)} from service_principal p join team t on t.id = p.team_id
    where p.id = any(${ids}) and p.deleted_at is null`);

export interface NewServicePrincipal {
  name: string;
  team_id: string;
  role: Role;
  allowed_assets: string[];
  description: string;
  created_by: string;
}

/** Undefined if its team is gone. */
export async function insertPrincipal(tx: GovernedTx, made: NewServicePrincipal): Promise<string | undefined> {
  const [row] = await tx.write(
    'service_principal',
    sql`
    insert into service_principal (name, team_id, role, allowed_assets, description, created_by)
    select ${made.name}, id, ${made.role}, ${made.allowed_assets}, ${made.description}, ${made.created_by}
    from team where id = ${made.team_id} for key share returning id`,
  );
  return row?.id;
}

export type ServicePrincipalChange = Pick<ServicePrincipalRow, 'role' | 'allowed_assets' | 'description'>;

/** Locks the row; undefined if it is gone. */
export const lockPrincipal = async (tx: GovernedTx, id: string) =>
  await tx.one<ServicePrincipalChange>(
    sql`select role, allowed_assets, description from service_principal where id = ${id} and deleted_at is null for update`,
  );

/** Locks it against deletion until the transaction ends; false if it is gone. */
export const holdPrincipal = async (tx: GovernedTx, id: string) =>
  (await tx.one(sql`select 1 from service_principal where id = ${id} and deleted_at is null for key share`)) !==
  undefined;

export async function updatePrincipal(tx: GovernedTx, id: string, next: ServicePrincipalChange): Promise<void> {
  await tx.write(
    'service_principal',
    sql`
    update service_principal set role = ${next.role}, allowed_assets = ${next.allowed_assets}, description = ${next.description}
    where id = ${id} returning id`,
  );
}

/** The row stays, so that past actions keep the name. */
export async function markDeleted(tx: GovernedTx, id: string): Promise<void> {
  await tx.write(
    'service_principal',
    sql`update service_principal set deleted_at = clock_now() where id = ${id} returning id`,
  );
}

export async function insertKey(
  tx: GovernedTx,
  key: { principal_id: string; digest: Buffer; prefix: string; issued_to: string },
): Promise<void> {
  await tx.write(
    'service_key',
    sql`insert into service_key (principal_id, digest, prefix, issued_to) values (${key.principal_id}, ${key.digest}, ${key.prefix}, ${key.issued_to}) returning id`,
  );
}

/** Ends the working keys after a grace period, and returns their prefixes. A key that ends sooner is unchanged. */
export async function endKeys(tx: GovernedTx, principal_id: string, grace_seconds: number): Promise<string[]> {
  const rows = await tx.write<{ id: string; prefix: string }>(
    'service_key',
    sql`
    update service_key set ends_at = clock_now() + make_interval(secs => ${grace_seconds})
    where principal_id = ${principal_id} and (ends_at is null or ends_at > clock_now() + make_interval(secs => ${grace_seconds}))
    returning id, prefix`,
  );
  return rows.map(({ prefix }) => prefix);
}

/** Ends the keys that a user was shown, in a team or everywhere. Returns the service principals. */
export async function endKeysShownTo(tx: GovernedTx, user_id: string, team_id: string | undefined): Promise<string[]> {
  const inTeam = team_id === undefined ? sql`true` : sql`p.team_id = ${team_id}`;
  const rows = await tx.write<{ id: string; name: string }>(
    'service_key',
    sql`
    update service_key k set ends_at = clock_now() from service_principal p
    where p.id = k.principal_id and k.issued_to = ${user_id} and (k.ends_at is null or k.ends_at > clock_now()) and ${inTeam}
    returning k.id, p.name`,
  );
  return [...new Set(rows.map(({ name }) => `principal:${name}`))];
}

/** The working key with this digest, and its service principal. */
export const workingKey = async (db: Reader, digest: Buffer) =>
  await db.one<{ id: string; principal_id: string; name: string }>(sql`
    select k.id, k.principal_id, p.name from service_key k join service_principal p on p.id = k.principal_id
    where k.digest = ${digest} and (k.ends_at is null or k.ends_at > clock_now()) and p.deleted_at is null`);

export async function noteUse(tx: Tx, key_id: string, ip: string | null): Promise<void> {
  await tx.run(sql`
    insert into service_key_use (key_id, last_used_at, ip) values (${key_id}, clock_now(), ${ip})
    on conflict (key_id) do update set last_used_at = excluded.last_used_at, ip = excluded.ip`);
}

/** Ids of all users who were ever shown a key, by service principal. They may have done its actions. */
export async function keyHolders(db: Reader, principal_ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db.all<{ principal_id: string; people: string[] }>(sql`
    select principal_id, json_agg(distinct issued_to) as people from service_key
    where principal_id = any(${principal_ids}) group by principal_id`);
  return new Map(rows.map(({ principal_id, people }) => [principal_id, people]));
}

/** A query for the ids whose ACL entries cover this caller: covers() without the organisation. */
export function principalIds(caller_id: Sql): Sql {
  return sql`select ${caller_id} union all select team_id from membership where user_id = ${caller_id}
    union all select group_id from group_member where user_id = ${caller_id}
    union all select team_id from service_principal where id = ${caller_id} and deleted_at is null`;
}
