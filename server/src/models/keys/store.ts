import type { KeyDefaults } from '@gantry/contract/models/budgets.ts';
import type { Guardrail } from '@gantry/contract/guardrails.ts';
import type { KeyScope } from '@gantry/contract/models/keys.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import { countRows } from '../../ground/database/count-rows.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { allOf, sql, type Sql } from '../../ground/database/sql.ts';
import { whereListed, whereReadsBudget } from './policy.ts';

export interface KeyRow {
  id: string;
  alias: string;
  prefix: string;
  scope: KeyScope;
  scope_id: string;
  scope_name: string;
  team_id: string | null;
  team: string | null;
  models: string[];
  tags: string[];
  created_by: string;
  created_at: string;
  expires_at: string | null;
  activated_at: string | null;
  revoked_at: string | null;
  is_expired: boolean;
  is_paused: boolean;
  /** By the service. */
  issued: boolean;
  settings: KeySettings | null;
  /** The account of its holder. */
  holder_id: string;
}

const columns = sql`k.id, k.alias, k.prefix, k.scope, k.scope_id, k.team_id, t.name as team, k.models, k.tags, c.label as created_by,
  k.created_at, k.expires_at, k.activated_at, k.revoked_at, k.issued, k.settings, coalesce(k.expires_at <= clock_now(), false) as is_expired,
  exists (select from account where id = k.id and paused_at is not null) as is_paused,
  coalesce((select name from asset where id = k.scope_id), (select label from identity where id = k.scope_id), t.name, 'org') as scope_name,
  coalesce((select id from membership where k.scope = 'user' and user_id = k.scope_id and team_id = k.team_id), k.scope_id) as holder_id`;
const tables = sql`gateway_key k left join team t on t.id = k.team_id join identity c on c.id = k.created_by`;

export const keyById = async (db: Reader, id: string) =>
  await db.one<KeyRow>(sql`select ${columns} from ${tables} where k.id = ${id}`);

/** What never changes about a key. */
export interface KeyIdentity {
  id: string;
  prefix: string;
  scope: KeyScope;
  scope_id: string;
  team_id: string | null;
}

export const keyByDigest = async (db: Reader, digest: Buffer) =>
  await db.one<KeyIdentity>(sql`select id, prefix, scope, scope_id, team_id from gateway_key where digest = ${digest}`);

interface Filter {
  caller: SignedInCaller;
  scope?: KeyScope | undefined;
  team?: string | undefined;
  key?: string | undefined;
  all: boolean;
}

export interface Listing extends Filter {
  after?: { created_at: string; id: string } | undefined;
  limit: number;
}

export async function keys(db: Reader, { after, limit, ...filter }: Listing): Promise<KeyRow[]> {
  const conditions = conditionsOf(filter);
  if (after !== undefined) conditions.push(sql`(k.created_at, k.id) < (${after.created_at}, ${after.id})`);
  return await db.all<KeyRow>(
    sql`select ${columns} from ${tables} where ${allOf(conditions)} order by k.created_at desc, k.id desc limit ${limit}`,
  );
}

export const countKeys = async (db: Reader, filter: Filter): Promise<number> =>
  await countRows(db, sql`${tables} where ${allOf(conditionsOf(filter))}`);

function conditionsOf({ caller, scope, team, key, all }: Filter): Sql[] {
  const conditions: Sql[] = [whereListed(caller)];
  if (scope !== undefined) conditions.push(sql`k.scope = ${scope}`);
  if (team !== undefined) conditions.push(sql`t.name = ${team}`);
  if (key !== undefined) conditions.push(sql`(k.id::text = ${key} or k.prefix = ${key})`);
  if (!all) conditions.push(sql`k.revoked_at is null`);
  return conditions;
}

/** What an agent.yaml says about the calls of its agent. */
export interface KeySettings {
  /** A model that takes over when the requested one fails. */
  fallback?: string | undefined;
  /** For a request without one. */
  temperature?: number | undefined;
  /** The longest answer. */
  max_tokens?: number | undefined;
  guardrails?: Guardrail[] | undefined;
  /** The agent's own model, for judges of guardrails that name none. */
  primary?: string | undefined;
}

export interface NewKey {
  id: string;
  alias: string;
  scope: KeyScope;
  scope_id: string;
  team_id: string | null;
  digest: Buffer;
  prefix: string;
  sealed: Buffer;
  models: string[];
  tags: string[];
  settings?: KeySettings | null;
  created_by: string;
  /** At a time, or after this number of seconds; never without both. */
  expires_at?: string | null;
  expires_in_seconds?: number | undefined;
  /** Then it has no effect until it is activated. */
  issued: boolean;
  /** Except during the start of this deploy. */
  start_run_id?: string | undefined;
}

export async function insertKey(tx: GovernedTx, key: NewKey): Promise<void> {
  const { expires_at: at = null, expires_in_seconds: seconds = null } = key;
  const expires_at = sql`coalesce(${at}::timestamptz, clock_now() + make_interval(secs => ${seconds}))`;
  const activated_at = key.issued ? sql`null` : sql`clock_now()`;
  await tx.write(
    'gateway_key',
    sql`insert into gateway_key (id, alias, scope, scope_id, team_id, digest, prefix, sealed, models, tags, created_by, expires_at,
        activated_at, issued, settings, start_run_id)
      values (${key.id}, ${key.alias}, ${key.scope}, ${key.scope_id}, ${key.team_id}, ${key.digest}, ${key.prefix}, ${key.sealed},
        ${key.models}, ${key.tags}, ${key.created_by}, ${expires_at}, ${activated_at}, ${key.issued}, ${JSON.stringify(key.settings ?? null)}::jsonb,
        ${key.start_run_id ?? null}) returning id`,
  );
}

/** Locks the holder, so that its end waits and then also ends this key. Throws `not_found` if it is gone. */
export async function holdHolder(
  tx: GovernedTx,
  { scope, scope_id, team_id }: Pick<NewKey, 'scope' | 'scope_id' | 'team_id'>,
): Promise<void> {
  const holder: Record<KeyScope, Sql> = {
    org: sql`org where id = ${scope_id}`,
    team: sql`team where id = ${team_id}`,
    user: sql`membership where user_id = ${scope_id} and team_id = ${team_id}`,
    agent: sql`asset where id = ${scope_id} and team_id = ${team_id}`,
    principal: sql`service_principal where id = ${scope_id} and deleted_at is null`,
  };
  if ((await tx.one(sql`select 1 from ${holder[scope]} for key share`)) === undefined) throw new Problem('not_found');
}

export async function membershipId(
  db: Reader,
  { user_id, team_id }: { user_id: string; team_id: string },
): Promise<string | undefined> {
  const row = await db.one<{ id: string }>(
    sql`select id from membership where user_id = ${user_id} and team_id = ${team_id}`,
  );
  return row?.id;
}

/** The encrypted value; undefined after the end of the key. */
export async function sealedKey(db: Reader, id: string): Promise<Buffer | undefined> {
  const row = await db.one<{ sealed: Buffer | null }>(sql`select sealed from gateway_key where id = ${id}`);
  return row?.sealed ?? undefined;
}

/** False for a key that was activated before or has ended. */
export async function activate(tx: GovernedTx, id: string): Promise<boolean> {
  const rows = await tx.write(
    'gateway_key',
    sql`update gateway_key set activated_at = clock_now() where id = ${id} and activated_at is null and revoked_at is null
      and coalesce(expires_at > clock_now(), true) returning id`,
  );
  return rows.length > 0;
}

export async function noteSeen(tx: Tx, key_id: string, identity_id: string): Promise<void> {
  await tx.run(
    sql`insert into gateway_key_seen (key_id, identity_id) values (${key_id}, ${identity_id}) on conflict do nothing`,
  );
}

/** The ones that were not revoked before. */
export const revoke = async (tx: GovernedTx, ids: readonly string[]) =>
  await tx.write<{ id: string; prefix: string }>(
    'gateway_key',
    sql`update gateway_key set revoked_at = clock_now(), sealed = null where id = any(${ids}) and revoked_at is null returning id, prefix`,
  );

async function working(db: Reader, condition: Sql): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    sql`select id from gateway_key where revoked_at is null and ${condition} order by id`,
  );
  return rows.map(({ id }) => id);
}

/** The user's own ones and those that they were shown. */
export async function keysOfUser(db: Reader, user_id: string, team_id: string | undefined): Promise<string[]> {
  const inTeam = team_id === undefined ? sql`true` : sql`team_id = ${team_id}`;
  return await working(
    db,
    sql`((scope = 'user' and scope_id = ${user_id}) or exists (select from gateway_key_seen where key_id = gateway_key.id and identity_id = ${user_id})) and ${inTeam}`,
  );
}

export const keysOfTeam = async (db: Reader, team_id: string) => await working(db, sql`team_id = ${team_id}`);
export const keysOfHolder = async (db: Reader, id: string) => await working(db, sql`scope_id = ${id}`);
/** The keys of an agent that no revision has activated. */
export const unusedKeys = async (db: Reader, agent_id: string) =>
  await working(db, sql`scope = 'agent' and scope_id = ${agent_id} and activated_at is null`);

interface OfMember {
  scope: 'user' | 'principal';
  id: string;
}

const issuedTo = ({ scope, id }: OfMember) =>
  sql`k.issued and k.scope = ${scope} and k.scope_id = ${id} and k.revoked_at is null`;

export const issuedKey = async (db: Reader, { team_id, ...holder }: OfMember & { team_id: string }) =>
  await db.one<{ prefix: string }>(
    sql`select k.prefix from gateway_key k where ${issuedTo(holder)} and k.team_id = ${team_id}`,
  );

export const waitingKeys = async (db: Reader, holder: OfMember) =>
  await db.all<{ id: string; team: string; prefix: string }>(sql`
    select k.id, t.name as team, k.prefix from gateway_key k join team t on t.id = k.team_id
    where ${issuedTo(holder)} and k.activated_at is null and coalesce(k.expires_at > clock_now(), true) order by t.name`);

export const expiredKeys = async (db: Reader, holder: OfMember) =>
  await db.all<{ id: string; alias: string; team_id: string; team: string; name: string }>(sql`
    select k.id, k.alias, k.team_id, t.name as team, i.label as name from gateway_key k join team t on t.id = k.team_id
      join identity i on i.id = k.scope_id
    where ${issuedTo(holder)} and k.expires_at <= clock_now()`);

export const modelIds = async (db: Reader) =>
  (await db.all<{ id: string }>(sql`select id from asset where kind = 'model'`)).map(({ id }) => id);

export const defaults = async (db: Reader, team_id: string) =>
  await db.one<KeyDefaults>(sql`select models, limits, expires_in_seconds from key_default where id = ${team_id}`);

export const teams = async (db: Reader) =>
  await db.all<{ id: string; name: string; defaults: KeyDefaults['limits'] | null }>(
    sql`select t.id, t.name, d.limits as defaults from team t left join key_default d on d.id = t.id order by t.name`,
  );

export async function putDefaults(tx: GovernedTx, team_id: string, next: KeyDefaults): Promise<void> {
  await tx.write(
    'key_default',
    sql`insert into key_default (id, models, limits, expires_in_seconds)
      values (${team_id}, ${next.models}, ${JSON.stringify(next.limits)}, ${next.expires_in_seconds})
      on conflict (id) do update set models = excluded.models, limits = excluded.limits,
        expires_in_seconds = excluded.expires_in_seconds returning id`,
  );
}

export async function deleteDefaults(tx: GovernedTx, team_id: string): Promise<void> {
  await tx.write('key_default', sql`delete from key_default where id = ${team_id} returning id`);
}

export interface AccountRow {
  account_id: string;
  team_id: string | null;
  team: string | null;
  agent_id: string | null;
  agent: string | null;
  user_id: string | null;
  principal_id: string | null;
  /** The prefix and the scope of a key; null for any other account. */
  prefix: string | null;
  key_scope: KeyScope | null;
  key_scope_id: string | null;
  /** The e-mail address of the member. */
  member: string | null;
  /** `principal:<name>` */
  machine: string | null;
}

/** An account has the id of its key, membership, agent, service principal, team or organisation. */
const owners = (account_ids: Sql): Sql => sql`
    select a.id as account_id, t.id as team_id, t.name as team, g.id as agent_id, g.name as agent, k.prefix, u.email as member,
      i.label as machine, coalesce(m.user_id, case when k.scope = 'user' then k.scope_id end) as user_id,
      p.id as principal_id, k.scope as key_scope, k.scope_id as key_scope_id
    from (${account_ids}) a
      left join gateway_key k on k.id = a.id and k.revoked_at is null and coalesce(k.expires_at > clock_now(), true)
      left join membership m on m.id = a.id
      left join app_user u on u.id = m.user_id
      left join asset g on g.id = case when k.scope = 'agent' then k.scope_id else a.id end and g.kind = 'agent'
      left join service_principal p on p.id = a.id and p.deleted_at is null
      left join identity i on i.id = p.id
      left join team t on t.id = coalesce(k.team_id, m.team_id, g.team_id, p.team_id, a.id)
      left join org o on o.id = a.id
    where coalesce(k.id, t.id, o.id) is not null`;

export const ownersOfAccounts = async (db: Reader, ids: readonly string[]) =>
  await db.all<AccountRow>(owners(sql`select unnest(${ids}::uuid[]) as id`));

/** Candidates of readsBudget() that may have spent this part of a limit. Counters of a window that has ended count too. */
export async function accountsNearLimits(
  db: Reader,
  caller: SignedInCaller,
  { percent, team_id, limit }: { percent: number; team_id: string | undefined; limit: number },
): Promise<AccountRow[]> {
  const near = (spent: Sql, of: Sql) => sql`(${of} > 0 and ${spent} * 100 >= ${of} * ${percent}::bigint)`;
  const accounts = sql`select c.id from account c join budget b on b.id = c.id
    where ${near(sql`c.day_spent`, sql`b.day_nano`)} or ${near(sql`c.week_spent`, sql`b.week_nano`)} or ${near(sql`c.month_spent`, sql`b.month_nano`)}`;
  const inTeam = team_id === undefined ? sql`true` : sql`team_id = ${team_id}`;
  return await db.all<AccountRow>(
    sql`select * from (${owners(accounts)}) of_account where ${whereReadsBudget(caller)} and ${inTeam} limit ${limit}`,
  );
}

/** Candidates of isListed() that work and expire soon, and the caller's own ones that wait; those that wait first. */
export async function dueKeys(
  db: Reader,
  caller: SignedInCaller,
  { days, team_id, limit }: { days: number; team_id: string | undefined; limit: number },
): Promise<KeyRow[]> {
  const inTeam = team_id === undefined ? sql`true` : sql`k.team_id = ${team_id}`;
  const waits = sql`(k.activated_at is null and k.issued and k.scope = ${caller.kind} and k.scope_id = ${caller.id})`;
  const ends = sql`(k.activated_at is not null and k.expires_at <= clock_now() + make_interval(days => ${days}))`;
  return await db.all<KeyRow>(sql`
    select ${columns} from ${tables} where ${whereListed(caller)} and ${inTeam} and k.revoked_at is null
      and coalesce(k.expires_at > clock_now(), true) and (${waits} or ${ends})
    order by k.activated_at is not null, k.expires_at, k.id limit ${limit}`);
}
