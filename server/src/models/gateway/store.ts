import type { Database, Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { storableJson, storableText } from '../../ground/database/storable-text.ts';
import { governanceHead } from '../../governance/audit/chain.ts';
import type { SeenHealth } from './upstream/health.ts';
import type { ModelRow } from './model.ts';
import { entryNamed } from './catalogue/model-called.ts';

const columns = sql`a.id, a.name, a.team_id, t.name as team, a.created_at, v.version, v.digest, c.config`;
const newest = sql`asset a join team t on t.id = a.team_id
  join lateral (
    select version, digest from version where asset_id = a.id order by string_to_array(version, '.')::int[] desc limit 1
  ) v on true
  join content c on c.digest = v.digest`;

/** Every model that the name can mean for the team. `modelsCalled` chooses. */
export const modelsNamed = async (db: Reader, name: string, team_id: string | null) =>
  await db.all<ModelRow>(sql`
    select ${columns} from ${newest}
    where a.kind = 'model' and (a.name = ${entryNamed(name) ?? name}
      or (a.team_id = ${team_id}::uuid and (c.config -> 'aliases' ? ${name} or c.config ->> 'model' = ${name})))
    order by a.name`);

export const modelsById = async (db: Reader, ids: readonly string[]) =>
  await db.all<ModelRow>(sql`select ${columns} from ${newest} where a.kind = 'model' and a.id = any(${ids}::uuid[])`);

export const catalogue = async (db: Reader) =>
  await db.all<ModelRow>(sql`select ${columns} from ${newest} where a.kind = 'model' order by a.name`);

/** `budget_usd` of the orchestration whose run it is, as decimal text. */
export async function budgetOfRun(db: Reader, run_id: string): Promise<string | undefined> {
  const row = await db.one<{ budget_usd: string | null }>(sql`
    select c.config ->> 'budget_usd' as budget_usd from run r join content c on c.digest = r.input ->> 'digest'
    where r.id = ${run_id} and r.kind = 'orchestration'`);
  return row?.budget_usd ?? undefined;
}

/** Every governed change moves it. */
export const head = async (tx: Tx) => await tx.one<{ hash: string }>(sql`select ${governanceHead} as hash`);

export interface HealthRow extends SeenHealth {
  seen_by: string;
  seen_at: string;
}

export const healthOf = async (db: Reader, model_ids: readonly string[]) =>
  await db.all<HealthRow>(sql`select * from model_health where model_id = any(${model_ids}::uuid[])`);

/** The view of one process replaces that of another. Health of deleted models is left out. */
export async function putHealth(db: Database, seen: readonly SeenHealth[], seen_by: string): Promise<void> {
  await db.run(sql`
    insert into model_health
      (model_id, address, failures, paused_until, last_success_at, last_failure_at, last_problem, seen_by)
    select s.model_id, s.address, s.failures, s.paused_until, s.last_success_at, s.last_failure_at, s.last_problem, ${seen_by}
    from jsonb_to_recordset(${storableJson(seen)}::jsonb) as s (
      model_id uuid, address text, failures int, paused_until timestamptz, last_success_at timestamptz,
      last_failure_at timestamptz, last_problem text
    ) join asset a on a.id = s.model_id
    on conflict (model_id, address) do update set
      failures = excluded.failures, paused_until = excluded.paused_until,
      last_success_at = coalesce(excluded.last_success_at, model_health.last_success_at),
      last_failure_at = coalesce(excluded.last_failure_at, model_health.last_failure_at),
      last_problem = coalesce(excluded.last_problem, model_health.last_problem),
      seen_by = excluded.seen_by, seen_at = excluded.seen_at`);
}

export interface RefusedStart {
  detail: string;
  hint: string | null;
}

/** Stores nothing for a key that a deploy has registered, or that no deploy has issued. */
export async function putRefusedStart(
  db: Database,
  { key_id, detail, hint }: RefusedStart & { key_id: string },
): Promise<void> {
  await db.run(sql`
    insert into refused_start (key_id, detail, hint)
    select id, ${storableText(detail)}, ${hint && storableText(hint)} from gateway_key
    where id = ${key_id} and start_run_id is not null and activated_at is null and revoked_at is null
    on conflict (key_id) do update set detail = excluded.detail, hint = excluded.hint, at = excluded.at`);
}

export const refusedStart = async (db: Reader, key_id: string) =>
  await db.one<RefusedStart>(sql`
    select detail, hint from refused_start join gateway_key k on k.id = key_id where key_id = ${key_id} and k.activated_at is null`);

export async function forgetRefusedStarts(db: Database, keep_hours: number): Promise<void> {
  await db.run(sql`delete from refused_start where at < clock_now() - make_interval(hours => ${keep_hours})`);
}
