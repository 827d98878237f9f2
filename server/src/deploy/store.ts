import type { GovernedTx } from '../access/change.ts';
import type { Reader, Tx } from '../database/database.ts';
import type { KeySettings } from '../keys/facts.ts';
import { allOf, beginsWith, nothing, sql, type Sql } from '../database/sql.ts';
import type { Place } from './targets/target.ts';

export interface DeploymentRow {
  run_id: string;
  agent_id: string;
  agent: string;
  version_id: string;
  version: string;
  digest: string;
  target: string;
  approval_id: string | null;
  cancelled_by: string | null;
  created_at: string;
}

export interface RevisionRow {
  id: string;
  agent_id: string;
  version_id: string;
  version: string;
  digest: string;
  target: string;
  image: string;
  approval_id: string | null;
  deployed_by: string;
  deployed_by_name: string;
  /** Of the gateway; null for a revision from before there were keys. */
  key_id: string | null;
  created_at: string;
}

export type Desired = 'running' | 'stopped';

export interface RouteRow extends RevisionRow {
  route_id: string;
  desired: Desired;
}

type SeenState = 'serving' | 'starting' | 'failed';

export interface InstanceRow {
  revision_id: string;
  agent_id: string;
  target: string;
  place: Place;
  url: string | null;
  restarts: number;
  failures: number;
  /** True when the wait before the next start is over. */
  is_due: boolean;
  next_start_at: string | null;
  last_exit: string | null;
  started_at: string;
  /** The result of the last look; all null before the first. */
  state: SeenState | null;
  detail: string | null;
  in_flight: number | null;
  seen_at: string | null;
  seconds_unseen: number | null;
  seconds_draining: number | null;
  /** The key of the container is not the one of its revision. */
  has_former_key: boolean;
  /** Null for an instance without a route. */
  desired: Desired | null;
}

export async function insertDeployment(tx: Tx, row: Omit<DeploymentRow, 'created_at' | 'cancelled_by'>): Promise<void> {
  await tx.run(sql`
    insert into deployment (run_id, agent_id, agent, version_id, version, digest, target, approval_id)
    values (${row.run_id}, ${row.agent_id}, ${row.agent}, ${row.version_id}, ${row.version}, ${row.digest}, ${row.target},
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

/** The newest deployment of each agent. */
export const newestDeployments = async (db: Reader, agent_ids: readonly string[]) =>
  await db.all<DeploymentRow>(sql`
    select distinct on (agent_id) * from deployment where agent_id = any(${agent_ids})
    order by agent_id, created_at desc, run_id desc`);

export async function setApproval(tx: Tx, run_id: string, approval_id: string | null): Promise<void> {
  await tx.run(sql`update deployment set approval_id = ${approval_id} where run_id = ${run_id}`);
}

/** Records only the first requester of a cancel. */
export async function setCancelledBy(tx: Tx, run_id: string, name: string): Promise<void> {
  await tx.run(sql`update deployment set cancelled_by = ${name} where run_id = ${run_id} and cancelled_by is null`);
}

export const revision = async (db: Reader, id: string) =>
  await db.one<RevisionRow>(sql`select * from revision where id = ${id}`);

const routed = sql`select v.*, r.id as route_id, r.desired from route r join revision v on v.id = r.revision_id`;

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

export const routes = async (db: Reader, agent_ids: readonly string[], target: string) =>
  await db.all<RouteRow>(sql`${routed} where r.agent_id = any(${agent_ids}) and r.target = ${target}`);

/** The images of each agent's last two revisions on each target, and of all revisions with a container. */
export async function neededImages(db: Reader): Promise<Set<string>> {
  const rows = await db.all<{ image: string }>(sql`
    select image from (
      select image, row_number() over (partition by agent_id, target order by created_at desc) as age from revision
    ) as ranked where age <= 2
    union select v.image from instance i join revision v on v.id = i.revision_id`);
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

export async function insertRevision(tx: GovernedTx, row: Omit<RevisionRow, 'created_at'>): Promise<void> {
  await tx.write(
    'revision',
    sql`insert into revision (id, agent_id, version_id, version, digest, target, image, approval_id, deployed_by, deployed_by_name, key_id)
        values (${row.id}, ${row.agent_id}, ${row.version_id}, ${row.version}, ${row.digest}, ${row.target}, ${row.image},
          ${row.approval_id}, ${row.deployed_by}, ${row.deployed_by_name}, ${row.key_id}) returning id`,
  );
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

/** The revisions with a container and a key that works, with its models. */
export const revisionsWithKey = async (db: Reader, agent_id: string) =>
  await db.all<{ id: string; models: string[]; settings: KeySettings }>(sql`
    select v.id, k.models, k.settings from revision v join instance i on i.revision_id = v.id join gateway_key k on k.id = v.key_id
    where v.agent_id = ${agent_id} and k.revoked_at is null order by v.id`);

export async function setRevisionKey(tx: GovernedTx, id: string, key_id: string): Promise<void> {
  await tx.write('revision', sql`update revision set key_id = ${key_id} where id = ${id} returning id`);
}

/** Moves the traffic to the revision. */
export async function switchRoute(
  tx: GovernedTx,
  to: { agent_id: string; target: string; revision_id: string },
): Promise<void> {
  await tx.write(
    'route',
    sql`insert into route (agent_id, target, revision_id, desired)
        values (${to.agent_id}, ${to.target}, ${to.revision_id}, 'running')
        on conflict (agent_id, target) do update set revision_id = excluded.revision_id, desired = 'running' returning id`,
  );
}

export async function setDesired(tx: GovernedTx, route_id: string, desired: Desired): Promise<void> {
  await tx.write('route', sql`update route set desired = ${desired} where id = ${route_id} returning id`);
}

export async function removeAgent(tx: GovernedTx, agent_id: string): Promise<void> {
  await tx.write('route', sql`delete from route where agent_id = ${agent_id} returning id`);
  await tx.write('revision', sql`delete from revision where agent_id = ${agent_id} returning id`);
}

const instanceColumns = sql`i.revision_id, v.agent_id, v.target, i.place, i.url, i.restarts, i.failures, i.last_exit, i.started_at,
  i.next_start_at, i.next_start_at is null or i.next_start_at <= clock_now() as is_due,
  i.key_id is distinct from v.key_id as has_former_key, i.state, i.detail, i.in_flight, i.seen_at, extract(epoch from clock_now() - i.seen_at)::float8 as seconds_unseen,
  extract(epoch from clock_now() - i.draining_since)::float8 as seconds_draining, r.desired`;
const instanceTables = sql`instance i join revision v on v.id = i.revision_id left join route r on r.revision_id = v.id`;

export const instances = async (db: Reader) =>
  await db.all<InstanceRow>(sql`select ${instanceColumns} from ${instanceTables} order by i.started_at`);

export const instancesOf = async (db: Reader, agent_ids: readonly string[]) =>
  await db.all<InstanceRow>(sql`
    select ${instanceColumns} from ${instanceTables} where v.agent_id = any(${agent_ids}) order by i.started_at`);

export const instance = async (db: Reader, revision_id: string) =>
  await db.one<InstanceRow>(sql`select ${instanceColumns} from ${instanceTables} where i.revision_id = ${revision_id}`);

/** Adds the instance of a container that has just answered. */
export async function insertInstance(
  tx: Tx,
  row: { revision_id: string; place: Place; url: string; key_id: string },
): Promise<void> {
  await tx.run(sql`
    insert into instance (revision_id, place, url, key_id, state, detail, seen_at)
    values (${row.revision_id}, ${placeOnly(row.place)}, ${row.url}, ${row.key_id}, 'serving', ${serving}, clock_now())`);
}

/** The detail of a serving container. */
export const serving = 'It answers.';

export interface Seen {
  state: SeenState;
  detail: string;
  in_flight: number | null;
}

/** Stores a look that found a change. */
export async function setSeen(tx: Tx, revision_id: string, { state, detail, in_flight }: Seen): Promise<void> {
  await tx.run(sql`
    update instance set state = ${state}, detail = ${detail}, in_flight = ${in_flight}, seen_at = clock_now()
    where revision_id = ${revision_id}`);
}

export interface SeenAgain {
  revision_id: string;
  in_flight: number | null;
  seconds_ago: number;
}

/** Confirms looks that found no change. A row that was changed after its look stays unchanged. */
export async function setSeenAgain(tx: Tx, looks: readonly SeenAgain[]): Promise<void> {
  await tx.run(sql`
    update instance i set in_flight = l.in_flight, seen_at = clock_now() - l.seconds_ago * interval '1 s'
    from jsonb_to_recordset(${JSON.stringify(looks)}::jsonb) as l (revision_id uuid, in_flight integer, seconds_ago float8)
    where i.revision_id = l.revision_id and i.seen_at < clock_now() - l.seconds_ago * interval '1 s'`);
}

/** From now on the instance only finishes its running calls. */
export async function setDraining(tx: Tx, revision_id: string): Promise<void> {
  await tx.run(sql`
    update instance set draining_since = clock_now() where revision_id = ${revision_id} and draining_since is null`);
}

export async function removeInstance(tx: Tx, revision_id: string): Promise<void> {
  await tx.run(sql`delete from egress_refusal where revision_id = ${revision_id}`);
  await tx.run(sql`delete from instance where revision_id = ${revision_id}`);
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

/** The detail of a container during its first start. */
export const starting = 'It is starting.';

/**
 * Stores the begin of a start. Calls are refused until the container is ready. Each start doubles the next wait, up to five minutes.
 * A steady run resets the wait.
 */
export async function setStarting(tx: Tx, revision_id: string, last_exit: string | null): Promise<void> {
  await tx.run(sql`
    update instance set url = null, last_exit = coalesce(${last_exit}, last_exit), failures = failures + 1,
      state = 'starting', detail = coalesce(${last_exit}, last_exit, ${starting}), in_flight = null, seen_at = clock_now(),
      next_start_at = clock_now() + least(300, 2 ^ least(failures, 10)) * interval '1 s' where revision_id = ${revision_id}`);
}

export async function setStarted(
  tx: Tx,
  started: { revision_id: string; place: Place; url: string; key_id: string | null; restarted: boolean },
): Promise<void> {
  await tx.run(sql`
    update instance set place = ${placeOnly(started.place)}, url = ${started.url}, key_id = ${started.key_id},
      state = 'serving', detail = ${serving}, in_flight = null, seen_at = clock_now(), started_at = clock_now(), restarts = restarts + ${started.restarted ? 1 : 0}::int where revision_id = ${started.revision_id}`);
}

export async function setStopped(tx: Tx, revision_id: string): Promise<void> {
  await tx.run(
    sql`update instance set url = null, failures = 0, next_start_at = null, seen_at = null where revision_id = ${revision_id}`,
  );
}

/** Forgets the failures of containers that have run long enough. */
export async function forgetFailures(tx: Tx, steady_seconds: number): Promise<void> {
  await tx.run(sql`
    update instance set failures = 0, next_start_at = null
    where failures > 0 and url is not null and started_at < clock_now() - ${steady_seconds}::float8 * interval '1 s'`);
}

/** Null without an address while its container is away. */
export interface Address {
  revision_id: string;
  version_id: string;
  url: string | null;
  key_id: string | null;
  /** Settings of the organisation. */
  hide_trace_inputs: boolean;
  hide_trace_outputs: boolean;
}

export const addressOfRevision = async (db: Reader, revision_id: string) =>
  await db.one<Address & { agent_id: string; team_id: string; team: string }>(sql`
    select i.revision_id, v.version_id, i.url, v.key_id, v.agent_id, a.team_id, t.name as team
    from instance i join revision v on v.id = i.revision_id join asset a on a.id = v.agent_id join team t on t.id = a.team_id
    where i.revision_id = ${revision_id}`);

/** The target of an agent's calls, and the desired state. */
export interface ServingRow extends Address {
  desired: Desired;
}

/** All columns of `agents` and the serving columns. These are null for an agent that is not deployed. */
export const servedAgents = async <Agent extends object>(db: Reader, agents: Sql) =>
  await db.all<Agent & (ServingRow | { revision_id: null })>(sql`
    select a.*, s.* from (${agents}) a left join (
      select r.agent_id as serving_agent_id, v.id as revision_id, v.version_id, i.url, r.desired, v.key_id, o.hide_trace_inputs,
        o.hide_trace_outputs
      from org o, route r join revision v on v.id = r.revision_id join instance i on i.revision_id = v.id
    ) s on s.serving_agent_id = a.id`);

/** An expression with a new value after each change of an instance or its address. */
export const instanceEpoch = sql`(select epoch::text from instance_epoch)`;

// A new place includes its compose file, which artefacts.ts stores.
function placeOnly({ target, container_name, container_id, egress }: Place): string {
  return JSON.stringify({
    target,
    container_name,
    container_id,
    ...(egress === undefined ? {} : { egress }),
  } satisfies Place);
}
