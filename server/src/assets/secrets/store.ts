import type { GovernedTx } from '../../governance/access/change.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { allOf, nothing, sql, type Sql } from '../../ground/database/sql.ts';
import { whereSecretIsListed } from './policy.ts';
import type { StoreName } from './stores/index.ts';

export interface SecretRow {
  id: string;
  name: string;
  /** Null for the secret of an agent. */
  team_id: string | null;
  team: string | null;
  /** Null for the secret of a team. */
  agent_id: string | null;
  agent: string | null;
  store: StoreName;
  created_by: string;
  created_at: string;
  changed_by: string;
  changed_at: string;
}

export type Scope = { team_id: string } | { agent_id: string };

const columns = sql`s.*, t.name as team, a.name as agent`;
const tables = sql`secret s left join team t on t.id = s.team_id left join asset a on a.id = s.agent_id`;

export const secretById = async (db: Reader, id: string) =>
  await db.one<SecretRow>(sql`select ${columns} from ${tables} where s.id = ${id}`);

export interface SecretsQuery {
  caller: SignedInCaller;
  team?: string | undefined;
  agent?: string | undefined;
  name?: string | undefined;
  after?: { name: string; id: string } | undefined;
  limit: number;
}

/** By name. Candidates: policy.ts decides each. */
export async function secrets(db: Reader, query: SecretsQuery): Promise<SecretRow[]> {
  const { caller, team, agent, name, after, limit } = query;
  const conditions: Sql[] = [whereSecretIsListed(caller)];
  if (team !== undefined) conditions.push(sql`t.name = ${team}`);
  if (agent !== undefined) conditions.push(sql`a.name = ${agent}`);
  if (name !== undefined) conditions.push(sql`s.name = ${name}`);
  if (after !== undefined) conditions.push(sql`(s.name, s.id) > (${after.name}, ${after.id}::uuid)`);
  return await db.all<SecretRow>(
    sql`select ${columns} from ${tables} where ${allOf(conditions)} order by s.name, s.id limit ${limit}`,
  );
}

const whereIn = (scope: Scope): Sql =>
  'team_id' in scope ? sql`team_id = ${scope.team_id}` : sql`agent_id = ${scope.agent_id}`;

/** Locked until the transaction ends. */
export const lockSecret = async (tx: GovernedTx, id: string) =>
  await tx.one<{ id: string }>(sql`select id from secret where id = ${id} for update`);

/** Creates the secret, or notes the change of its value, which stays in its store. */
export async function putSecret(
  tx: GovernedTx,
  scope: Scope,
  { name, store, by }: { name: string; store: StoreName; by: string },
): Promise<{ id: string; store: StoreName; created: boolean }> {
  const [column, owner] = 'team_id' in scope ? [sql`team_id`, scope.team_id] : [sql`agent_id`, scope.agent_id];
  const [row] = await tx.write<{ id: string; store: StoreName; created: boolean }>(
    'secret',
    sql`insert into secret (name, ${column}, store, created_by, changed_by, created_at, changed_at)
        select ${name}, ${owner}, ${store}, ${by}, ${by}, now, now from clock_now() as now
        on conflict (${column}, name) do update set changed_by = excluded.changed_by, changed_at = excluded.changed_at
        returning id, store, xmax = 0 as created`,
  );
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}

/** False for a secret that is gone or belongs to a team. */
export async function moveToTeam(
  tx: GovernedTx,
  id: string,
  { team_id, by }: { team_id: string; by: string },
): Promise<boolean> {
  const rows = await tx.write(
    'secret',
    sql`update secret set agent_id = null, team_id = ${team_id}, changed_by = ${by}, changed_at = clock_now()
        where id = ${id} and agent_id is not null returning id`,
  );
  return rows.length > 0;
}

export async function deleteSecret(tx: GovernedTx, id: string): Promise<void> {
  await tx.write('secret', sql`delete from secret where id = ${id} returning id`);
}

/** The secrets of a scope. */
export const secretsIn = async (db: Reader, scope: Scope) =>
  await db.all<{ id: string; name: string; store: StoreName }>(
    sql`select id, name, store from secret where ${whereIn(scope)} order by name`,
  );

/** The models of the team whose newest config names the secret. */
export const modelsNaming = async (db: Reader, { team_id, name }: { team_id: string; name: string }) =>
  await db.all<{ id: string }>(sql`
    select a.id from asset a
      join lateral (
        select digest from version where asset_id = a.id order by string_to_array(version, '.')::int[] desc limit 1
      ) v on true
      join content c on c.digest = v.digest
    where a.kind = 'model' and a.team_id = ${team_id}
      and (c.config ->> 'secret' = ${name} or c.config -> 'upstreams' @> ${JSON.stringify([{ secret: name }])}::jsonb)`);

export interface Wanted {
  agent_id: string;
  /** The team in the agent.yaml. */
  team: string;
  names: readonly string[];
}

export interface FoundSecret {
  id: string;
  name: string;
  store: StoreName;
  /** Null for a secret of the agent itself. */
  team: string | null;
}

/** The secret of each name that exists. `held`: none of them is removed before the transaction ends. */
export async function inReach(
  db: Reader,
  { agent_id, team, names }: Wanted,
  { held = false } = {},
): Promise<FoundSecret[]> {
  if (names.length === 0) return [];
  return await db.all<FoundSecret>(sql`
    select s.id, s.name, s.store, r.team from secret_in_reach r join secret s on s.id = r.secret_id
    where r.agent_id = ${agent_id} and r.name = any(${names}) and (r.team is null or r.team = ${team})
    order by s.id ${held ? sql`for share of s` : nothing}`);
}
