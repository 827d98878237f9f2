import type { GovernedTx } from '../../governance/access/change.ts';
import { storableJson, storableText } from '../../ground/database/storable-text.ts';
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import type { KeySettings } from '../../models/keys/calls/facts.ts';
import { allOf, beginsWith, nothing, sql } from '../../ground/database/sql.ts';
import type { Operation } from '@gantry/contract/agents/deploy.ts';
import type { TargetName } from './parts.ts';
import type { Description } from './read-description.ts';

export interface DeploymentRow {
  run_id: string;
  operation: Operation;
  agent_id: string;
  agent: string;
  version_id: string;
  version: string;
  digest: string;
  target: string;
  approval_id: string | null;
  cancelled_by: string | null;
  /** Null before the switch, and for an operation without one. */
  revision_id: string | null;
  created_at: string;
}

export interface RevisionRow {
  id: string;
  agent_id: string;
  version_id: string;
  version: string;
  digest: string;
  target: TargetName;
  image: string;
  approval_id: string | null;
  deployed_by: string;
  deployed_by_name: string;
  /** The id of the revision's gateway key. Null for revisions that are older than keys. */
  key_id: string | null;
  created_at: string;
}

export type Desired = 'running' | 'stopped';

export interface RouteRow extends RevisionRow {
  route_id: string;
  /** The agent's address leads to this one of its routes. */
  is_default: boolean;
  desired: Desired;
  stopped_at: string | null;
}

export async function insertDeployment(
  tx: Tx,
  row: Omit<DeploymentRow, 'created_at' | 'cancelled_by' | 'revision_id'>,
): Promise<void> {
  await tx.run(sql`
    insert into deployment (run_id, operation, agent_id, agent, version_id, version, digest, target, approval_id)
    values (${row.run_id}, ${row.operation}, ${row.agent_id}, ${row.agent}, ${row.version_id}, ${row.version}, ${row.digest}, ${row.target},
      ${row.approval_id})`);
}

export const deployment = async (db: Reader, run_id: string) =>
  await db.one<DeploymentRow>(sql`select * from deployment where run_id = ${run_id}`);

/** Newest first. */
export async function deployments(
  db: Reader,
  filter: {
    agent_id?: string | undefined;
    begins_with?: string | undefined;
    before?: { created_at: string; run_id: string } | undefined;
    limit: number;
  },
): Promise<DeploymentRow[]> {
  const conditions = [];
  if (filter.agent_id !== undefined) conditions.push(sql`agent_id = ${filter.agent_id}`);
  if (filter.begins_with !== undefined) conditions.push(beginsWith(sql`run_id`, filter.begins_with));
  if (filter.before !== undefined) {
    conditions.push(sql`(created_at, run_id) < (${filter.before.created_at}, ${filter.before.run_id})`);
  }
  return await db.all<DeploymentRow>(sql`
    select * from deployment where ${allOf(conditions)} order by created_at desc, run_id desc limit ${filter.limit}`);
}

/** The newest deploy of each agent. */
export const newestDeployments = async (db: Reader, agent_ids: readonly string[]) =>
  await db.all<DeploymentRow>(sql`
    select distinct on (agent_id) * from deployment where agent_id = any(${agent_ids}) and operation in ('deploy', 'rollback')
    order by agent_id, created_at desc, run_id desc`);

export async function setApproval(tx: Tx, run_id: string, approval_id: string | null): Promise<void> {
  await tx.run(sql`update deployment set approval_id = ${approval_id} where run_id = ${run_id}`);
}

export async function setRevisionOf(tx: Tx, run_id: string, revision_id: string): Promise<void> {
  await tx.run(sql`update deployment set revision_id = ${revision_id} where run_id = ${run_id}`);
}

/** Records only the first requester of a cancel. */
export async function setCancelledBy(tx: Tx, run_id: string, name: string): Promise<void> {
  await tx.run(sql`update deployment set cancelled_by = ${name} where run_id = ${run_id} and cancelled_by is null`);
}

export const revision = async (db: Reader, id: string) =>
  await db.one<RevisionRow>(sql`select * from revision where id = ${id}`);

interface OnTarget {
  agent_id: string;
  target: string;
}

/** True when it had room before. */
export async function setNoRoom(tx: Tx, { agent_id, target, detail }: OnTarget & { detail: string }): Promise<boolean> {
  const row = await tx.one<{ is_new: boolean }>(sql`
    insert into no_room (agent_id, target, detail) values (${agent_id}, ${target}, ${detail})
    on conflict (agent_id, target) do update set detail = excluded.detail returning xmax = 0 as is_new`);
  return row?.is_new === true;
}

export async function clearNoRoom(tx: Tx, { agent_id, target }: OnTarget): Promise<void> {
  await tx.run(sql`delete from no_room where agent_id = ${agent_id} and target = ${target}`);
}

export const noRoom = async (db: Reader, agent_ids: readonly string[]) =>
  await db.all<OnTarget & { since: string; detail: string }>(
    sql`select agent_id, target, since, detail from no_room where agent_id = any(${agent_ids})`,
  );

/** The newest earlier revision of the agent with the version, by default with other content than the serving one. */
export const earlierRevision = async (
  db: Reader,
  route: Pick<RouteRow, 'id' | 'agent_id' | 'target' | 'digest'>,
  version: string | undefined,
) =>
  await db.one<RevisionRow>(sql`
    select * from revision where agent_id = ${route.agent_id} and target = ${route.target} and id <> ${route.id}
      and ${version === undefined ? sql`digest <> ${route.digest}` : sql`version = ${version}`}
    order by (select max(d.created_at) from deployment d where d.revision_id = revision.id) desc nulls last, created_at desc limit 1`);

/** Undefined unless the last deploy on the target is a rollback from another version. */
export async function lastRollback(
  db: Reader,
  agent_id: string,
  target: string | undefined,
): Promise<{ from: string; to: string; by: string; at: string; reason: string | null } | undefined> {
  const [last, before] = await db.all<{
    operation: Operation;
    version: string;
    by: string;
    at: string;
    reason: string | null;
  }>(sql`
    select d.operation, d.version, r.actor_name as by, r.ended_at as at, r.input #>> '{rollback,reason}' as reason
    from deployment d join run r on r.id = d.run_id
    where d.agent_id = ${agent_id} and d.target = ${target ?? null} and d.operation in ('deploy', 'rollback') and r.state = 'done'
    order by d.created_at desc limit 2`);
  if (last?.operation !== 'rollback' || before === undefined || before.version === last.version) return undefined;
  const { version: to, by, at, reason } = last;
  return { from: before.version, to, by, at, reason };
}

/** True while nothing that the revision's containers have was revoked or changed since their start: its key and its secrets. */
export async function isUnchanged(db: Reader, revision_id: string): Promise<boolean> {
  const row = await db.one(sql`
    select from revision v where v.id = ${revision_id}
      and not exists (select from gateway_key k where k.id = v.key_id and k.revoked_at is not null)
      and not exists (
        select from secret_in_reach r join secret s on s.id = r.secret_id join content c on c.digest = v.digest
          join instance i on i.revision_id = v.id
        where r.agent_id = v.agent_id and c.config -> 'deploy' -> 'secrets' ? r.name
          and (r.team is null or r.team = c.config ->> 'team') and s.changed_at > i.started_at)`);
  return row !== undefined;
}

const routed = sql`select v.*, r.id as route_id, r.is_default, r.desired, r.stopped_at from route r join revision v on v.id = r.revision_id`;

/** The route of an agent. `lock` holds it until the transaction ends. */
export async function route(
  db: Reader,
  agent_id: string,
  target: string,
  { lock = false } = {},
): Promise<RouteRow | undefined> {
  const held = lock ? sql`for update of r` : nothing;
  return await db.one<RouteRow>(sql`${routed} where r.agent_id = ${agent_id} and r.target = ${target} ${held}`);
}

/** The route behind the agent's address. */
export const defaultRoute = async (db: Reader, agent_id: string) =>
  await db.one<RouteRow>(sql`${routed} where r.agent_id = ${agent_id} and r.is_default`);

/** The route with this revision, held until the transaction ends. A switch and a stop wait for it. */
export const holdRouteTo = async (tx: Tx, revision_id: string) =>
  await tx.one<RouteRow>(sql`${routed} where r.revision_id = ${revision_id} for update of r`);

/** Planned instances (wake.ts). Their keepers listen. */
export const wake_channel = 'wake';

export async function notifyKeepers(tx: Tx): Promise<void> {
  await tx.run(sql`select pg_notify(${wake_channel}, '')`);
}

/** On every target, the default one first. */
export const routes = async (db: Reader, agent_ids: readonly string[]) =>
  await db.all<RouteRow>(sql`
    ${routed} where r.agent_id = any(${agent_ids}) order by r.is_default desc, r.target`);

/** Locked until the transaction ends, in one order for all callers. */
export async function lockRoutes(tx: GovernedTx, agent_id: string): Promise<RouteRow[]> {
  return await tx.all<RouteRow>(sql`${routed} where r.agent_id = ${agent_id} order by r.id for update of r`);
}

/** The targets on which a deploy or an operation of the agent has not ended. */
export async function activeTargets(db: Reader, agent_id: string): Promise<string[]> {
  const rows = await db.all<{ target: string }>(sql`
    select distinct d.target from deployment d join run r on r.id = d.run_id
    where d.agent_id = ${agent_id} and r.ended_at is null order by d.target`);
  return rows.map(({ target }) => target);
}

/** The images of each agent's last five revisions on each target, and of all revisions with a container or a route. */
export async function neededImages(db: Reader): Promise<Set<string>> {
  const rows = await db.all<{ image: string }>(sql`
    select image from (
      select image, row_number() over (partition by agent_id, target order by created_at desc) as age from revision
    ) as ranked where age <= 5
    union select v.image from instance i join revision v on v.id = i.revision_id
    union select v.image from route r join revision v on v.id = r.revision_id`);
  return new Set(rows.map(({ image }) => image));
}

export async function countAgents(db: Reader): Promise<number> {
  const row = await db.one<{ count: number }>(sql`select count(*) from asset where kind = 'agent'`);
  return row?.count ?? 0;
}

export async function teamsWithAgents(db: Reader): Promise<Set<string>> {
  const rows = await db.all<{ team_id: string }>(sql`select distinct team_id from asset where kind = 'agent'`);
  return new Set(rows.map(({ team_id }) => team_id));
}

/** The agents whose deployed revision gets one of these secrets. */
export async function secretUsers(
  db: Reader,
  secret_ids: readonly string[],
): Promise<{ secret_id: string; agent_id: string }[]> {
  return await db.all<{ secret_id: string; agent_id: string }>(sql`
    select distinct s.secret_id, s.agent_id
    from secret_in_reach s join route r on r.agent_id = s.agent_id join revision v on v.id = r.revision_id
      join content c on c.digest = v.digest
    where s.secret_id = any(${secret_ids}) and c.config -> 'deploy' -> 'secrets' ? s.name
      and (s.team is null or s.team = c.config ->> 'team')`);
}

/** The deployed configs on every target, also of stopped agents: a start would use them again. */
export const deployedConfigs = async (db: Reader) =>
  await db.all<{ agent_id: string; team_id: string; config: AgentConfig }>(sql`
    select distinct a.id as agent_id, a.team_id, c.config from route r join revision v on v.id = r.revision_id
      join asset a on a.id = v.agent_id join content c on c.digest = v.digest`);

interface CallingRevision {
  agent_id: string;
  name: string;
  team_id: string;
  team: string;
  revision_id: string;
  version_id: string;
}

/** The revision with this gateway key, while the key works. */
export const callingRevision = async (db: Reader, key_id: string) =>
  await db.one<CallingRevision>(sql`
    select v.agent_id, a.name, a.team_id, t.name as team, v.id as revision_id, v.version_id
    from revision v join gateway_key k on k.id = v.key_id join asset a on a.id = v.agent_id join team t on t.id = a.team_id
    where k.id = ${key_id} and k.activated_at is not null and k.revoked_at is null and coalesce(k.expires_at > clock_now(), true)`);

/** The same for a key whose deploy starts the agent: its revision has the id of the run (steps/5-provision.ts). Whether the start is under way is another question. */
export const startingRevision = async (db: Reader, key_id: string) =>
  await db.one<CallingRevision>(sql`
    select a.id as agent_id, a.name, a.team_id, t.name as team, r.id as revision_id, (r.input ->> 'version_id')::uuid as version_id
    from gateway_key k join run r on r.id = k.start_run_id join asset a on a.id::text = r.input ->> 'agent_id' join team t on t.id = a.team_id
    where k.id = ${key_id} and k.activated_at is null`);

/** The revisions with a route or a container and a key that works, with its models. */
export const revisionsWithKey = async (db: Reader, agent_id: string) =>
  await db.all<{ id: string; models: string[]; settings: KeySettings }>(sql`
    select v.id, k.models, k.settings from revision v join gateway_key k on k.id = v.key_id
    where v.agent_id = ${agent_id} and k.revoked_at is null
      and (exists (select from instance i where i.revision_id = v.id) or exists (select from route r where r.revision_id = v.id))
    order by v.id`);

export async function setRevisionKey(tx: GovernedTx, id: string, key_id: string): Promise<void> {
  await tx.write('revision', sql`update revision set key_id = ${key_id} where id = ${id} returning id`);
}

/** False when the revision has another image than `before`. */
export async function setRevisionImage(
  tx: GovernedTx,
  { id, before, after }: { id: string; before: string; after: string },
): Promise<boolean> {
  const rows = await tx.write(
    'revision',
    sql`update revision set image = ${after} where id = ${id} and image = ${before} returning id`,
  );
  return rows.length > 0;
}

/** Moves the traffic to the revision. */
export async function switchRoute(
  tx: GovernedTx,
  to: { agent_id: string; target: string; revision_id: string },
): Promise<void> {
  await tx.write(
    'route',
    sql`insert into route (agent_id, target, revision_id, desired, is_default)
        values (${to.agent_id}, ${to.target}, ${to.revision_id}, 'running',
          not exists (select from route where agent_id = ${to.agent_id} and is_default))
        on conflict (agent_id, target) do update set revision_id = excluded.revision_id, desired = 'running', stopped_at = null returning id`,
  );
}

/** The caller holds both routes. */
export async function moveDefault(tx: GovernedTx, { from, to }: { from: string; to: string }): Promise<void> {
  await tx.write('route', sql`update route set is_default = false where id = ${from} returning id`);
  await tx.write('route', sql`update route set is_default = true where id = ${to} returning id`);
}

export async function setDesired(tx: GovernedTx, route_id: string, desired: Desired): Promise<void> {
  await tx.write(
    'route',
    sql`update route set desired = ${desired}, stopped_at = case ${desired} when 'stopped' then clock_now() end where id = ${route_id} returning id`,
  );
}

export async function removeAgent(tx: GovernedTx, agent_id: string): Promise<void> {
  await tx.write('route', sql`delete from route where agent_id = ${agent_id} returning id`);
  await tx.run(sql`
    delete from revision_input i using revision v where v.id = i.revision_id and v.agent_id = ${agent_id}`);
  await tx.write('revision', sql`delete from revision where agent_id = ${agent_id} returning id`);
  await tx.run(sql`delete from placement where agent_id = ${agent_id}`);
}

export interface RefusedEgressRow {
  revision_id: string;
  /** `host:port` */
  destination: string;
  reason: string;
  count: number;
}

/** Adds the counts. */
export async function addRefusedEgress(tx: Tx, rows: readonly RefusedEgressRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(sql`
    insert into egress_refusal (revision_id, destination, reason, count, at)
    select r.*, date_trunc('milliseconds', clock_now())
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (revision_id uuid, destination text, reason text, count bigint)
    on conflict (revision_id, destination)
    do update set count = egress_refusal.count + excluded.count, reason = excluded.reason, at = excluded.at`);
}

/** Newest first. */
export const refusedEgress = async (db: Reader, revision_ids: readonly string[]) =>
  await db.all<RefusedEgressRow & { at: string }>(sql`
    select revision_id, destination, reason, count::float8 as count, at from egress_refusal
    where revision_id = any(${revision_ids}) order by at desc, destination`);

export async function putDescription(
  tx: Tx,
  revision_id: string,
  { input_schema, keeps_threads, required_fields }: Description,
): Promise<void> {
  await tx.run(sql`
    insert into revision_input (revision_id, input_schema, keeps_threads, required_fields)
    values (${revision_id}, ${storableJson(input_schema)}::jsonb, ${keeps_threads}, ${required_fields?.map(storableText) ?? null})
    on conflict (revision_id) do update set
      input_schema = excluded.input_schema, keeps_threads = excluded.keeps_threads, required_fields = excluded.required_fields`);
}

/** The agents' serving revisions on their default targets. `input` is null while no container of the revision has described it. */
export const servingInputs = async (db: Reader, agent_ids: readonly string[]) =>
  await db.all<ServingInput>(sql`
    select r.agent_id, r.target, r.desired, v.id as revision_id, v.version_id, v.version, v.digest,
      (select jsonb_build_object('schema', i.input_schema, 'keeps_threads', i.keeps_threads, 'required', i.required_fields) from revision_input i where i.revision_id = v.id) as input
    from route r join revision v on v.id = r.revision_id where r.is_default and r.agent_id = any(${agent_ids})`);

export interface ServingInput {
  agent_id: string;
  target: string;
  desired: Desired;
  revision_id: string;
  version_id: string;
  version: string;
  digest: string;
  input: { schema: Record<string, unknown> | null; keeps_threads: boolean; required: string[] | null } | null;
}
