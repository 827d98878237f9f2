// The SQL of instances: where they are, what the last look found, and the addresses for calls.
import type { ProblemCode } from '@gantry/contract/problems.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import type { TargetName } from './parts.ts';
import type { Desired } from './store.ts';
import type { Place } from './targets/target.ts';

type SeenState = 'serving' | 'starting' | 'failed';

export interface InstanceRow {
  id: string;
  /** Counts the instances of the revision, from 1. */
  n: number;
  revision_id: string;
  version_id: string;
  agent_id: string;
  agent: string;
  target: TargetName;
  /** Null before its first start. */
  place: Place | null;
  /** The outside destinations of its place; null: not limited. */
  egress: string[] | null;
  url: string | null;
  restarts: number;
  failures: number;
  /** True when the wait before the next start is over. */
  is_due: boolean;
  next_start_at: string | null;
  last_exit: string | null;
  /** While its image is built again. */
  rebuilding_since: string | null;
  started_at: string;
  /** The result of the last look; all null before the first. */
  state: SeenState | null;
  detail: string | null;
  in_flight: number | null;
  seen_at: string | null;
  seconds_unseen: number | null;
  seconds_draining: number | null;
  /** Its agent needs another instance, and the target has no memory left (no_room). */
  has_no_room: boolean;
  /** It is ready for a rollback, and takes no calls. */
  is_warm: boolean;
  /** The key of the container is not the one of its revision. */
  has_former_key: boolean;
  /** Null for an instance without a route. */
  desired: Desired | null;
}

/** It serves, or is starting for that: it neither finishes its last calls nor waits for a rollback. */
export const takesCalls = ({ seconds_draining, is_warm }: Pick<InstanceRow, 'seconds_draining' | 'is_warm'>): boolean =>
  seconds_draining === null && !is_warm;

const instanceColumns = sql`i.id, i.n, i.revision_id, v.version_id, v.agent_id, a.name as agent, i.target, i.place, i.egress, i.url, i.restarts, i.failures, i.last_exit, i.rebuilding_since, i.started_at,
  i.next_start_at, i.next_start_at is null or i.next_start_at <= clock_now() as is_due,
  i.key_id is distinct from v.key_id as has_former_key, i.state, i.detail, i.in_flight, i.seen_at, extract(epoch from clock_now() - i.seen_at)::float8 as seconds_unseen,
  extract(epoch from clock_now() - i.draining_since)::float8 as seconds_draining,
  i.draining_since is null and coalesce(i.warm_until > clock_now(), false) as is_warm, r.desired,
  exists (select from no_room where no_room.agent_id = v.agent_id and no_room.target = i.target) as has_no_room`;
const instanceTables = sql`instance i join revision v on v.id = i.revision_id join asset a on a.id = v.agent_id left join route r on r.revision_id = v.id`;

export const instances = async (db: Reader) =>
  await db.all<InstanceRow>(sql`select ${instanceColumns} from ${instanceTables} order by i.started_at, i.n`);

export const instancesOf = async (db: Reader, agent_ids: readonly string[]) =>
  await db.all<InstanceRow>(sql`
    select ${instanceColumns} from ${instanceTables} where v.agent_id = any(${agent_ids}) order by i.started_at, i.n`);

export const instancesOfRevision = async (db: Reader, revision_id: string) =>
  await db.all<InstanceRow>(sql`
    select ${instanceColumns} from ${instanceTables} where i.revision_id = ${revision_id} order by i.n`);

export const instance = async (db: Reader, id: string) =>
  await db.one<InstanceRow>(sql`select ${instanceColumns} from ${instanceTables} where i.id = ${id}`);

export async function countTaking(db: Reader, revision_id: string): Promise<number> {
  const row = await db.one<{ count: number }>(sql`
    select count(*) from instance where revision_id = ${revision_id} and draining_since is null`);
  return row?.count ?? 0;
}

/** The detail of a serving container. */
export const serving = 'It answers.';

export interface Seen {
  state: SeenState;
  detail: string;
  in_flight: number | null;
}

/** Stores a look that found a change. */
export async function setSeen(tx: Tx, id: string, { state, detail, in_flight }: Seen): Promise<void> {
  await tx.run(sql`
    update instance set state = ${state}, detail = ${detail}, in_flight = ${in_flight}, seen_at = clock_now()
    where id = ${id}`);
}

/** Keeps the time of the last look. */
export async function setUnseen(tx: Tx, id: string): Promise<void> {
  await tx.run(
    sql`update instance set state = null, detail = null, in_flight = null where id = ${id} and state is not null`,
  );
}

export interface SeenAgain {
  id: string;
  in_flight: number | null;
  seconds_ago: number;
}

/** Confirms looks that found no change. A row that was changed after its look stays unchanged. */
export async function setSeenAgain(tx: Tx, looks: readonly SeenAgain[]): Promise<void> {
  await tx.run(sql`
    update instance i set in_flight = l.in_flight, seen_at = clock_now() - l.seconds_ago * interval '1 s'
    from jsonb_to_recordset(${JSON.stringify(looks)}::jsonb) as l (id uuid, in_flight integer, seconds_ago float8)
    where i.id = l.id and i.seen_at < clock_now() - l.seconds_ago * interval '1 s'`);
}

/** Adds an instance without a place. It takes no calls before its first start. Returns its id. `why` is the reason for it. */
export async function insertPlanned(
  tx: Tx,
  row: Pick<InstanceRow, 'revision_id' | 'target'> & { why?: string },
): Promise<string> {
  const made = await tx.one<{ id: string }>(sql`
    insert into instance (revision_id, target, n, state, detail, last_exit, seen_at)
    select ${row.revision_id}, ${row.target}, coalesce(max(n), 0) + 1, 'starting', ${starting}, ${row.why ?? null}, clock_now()
    from instance where revision_id = ${row.revision_id} returning id`);
  if (made === undefined) throw new Error('insert returned no row');
  return made.id;
}

/** From now on the instance only finishes its running calls. */
export async function setDraining(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`update instance set draining_since = clock_now() where id = ${id} and draining_since is null`);
}

/** The instances of a replaced revision stay for a rollback. Those of every earlier one on the target only finish their calls. */
export async function setWarm(
  tx: Tx,
  {
    agent_id,
    target,
    revision_id,
    warm_ms,
  }: { agent_id: string; target: string; revision_id: string; warm_ms: number },
): Promise<void> {
  await tx.run(sql`
    update instance i set
      warm_until = case when v.id = ${revision_id} then clock_now() + ${warm_ms}::float8 * interval '1 ms' end,
      draining_since = case when v.id = ${revision_id} then i.draining_since else coalesce(i.draining_since, clock_now()) end
    from revision v where v.id = i.revision_id and v.agent_id = ${agent_id} and v.target = ${target}
      and not exists (select from route r where r.revision_id = v.id)`);
}

/** The warm instances of the revision take calls again. Returns their number. */
export async function takeCallsAgain(tx: Tx, revision_id: string): Promise<number> {
  return await tx.run(sql`
    update instance set warm_until = null
    where revision_id = ${revision_id} and draining_since is null and warm_until > clock_now() and url is not null`);
}

/** As setDraining, for all instances of the revision. */
export async function setAllDraining(tx: Tx, revision_id: string): Promise<void> {
  await tx.run(sql`
    update instance set draining_since = clock_now() where revision_id = ${revision_id} and draining_since is null`);
}

/** Returns how often its log could not be read. */
export async function countLogFailure(tx: Tx, id: string): Promise<number> {
  const row = await tx.one<{ log_failures: number }>(
    sql`update instance set log_failures = log_failures + 1 where id = ${id} returning log_failures`,
  );
  return row?.log_failures ?? 0;
}

/** True for the last instance of its revision. */
export async function removeInstance(
  tx: Tx,
  { id, revision_id }: Pick<InstanceRow, 'id' | 'revision_id'>,
): Promise<boolean> {
  await tx.run(sql`delete from instance where id = ${id}`);
  if ((await tx.one(sql`select from instance where revision_id = ${revision_id} limit 1`)) !== undefined) return false;
  await tx.run(sql`delete from egress_refusal where revision_id = ${revision_id}`);
  return true;
}

/** The detail of a container during its first start. */
export const starting = 'It is starting.';

/** No call goes to it from now on. False when none went to it before. */
export async function setEnded(tx: Tx, id: string): Promise<boolean> {
  await tx.run(sql`delete from join_token where instance_id = ${id}`);
  return (await tx.run(sql`update instance set url = null where id = ${id} and url is not null`)) > 0;
}

/**
 * Stores the begin of a start. Calls are refused until the container is ready. Each start doubles the next wait, up to five minutes.
 * A steady run resets the wait.
 */
export async function setStarting(
  tx: Tx,
  id: string,
  { last_exit, is_restart }: { last_exit: string | null; is_restart: boolean },
): Promise<void> {
  await tx.run(sql`
    update instance set url = null, problem = null, last_exit = coalesce(${last_exit}, last_exit), failures = failures + 1,
      restarts = restarts + ${is_restart ? 1 : 0}::int, rebuilding_since = null,
      state = 'starting', detail = coalesce(${last_exit}, last_exit, ${starting}), in_flight = null, seen_at = clock_now(),
      next_start_at = clock_now() + least(300, 2 ^ least(failures, 10)) * interval '1 s' where id = ${id}`);
}

/** Stores the end of a start that failed. `url` is set for the copies of the ingress (copies/). */
export async function setProblem(tx: Tx, id: string, code: ProblemCode): Promise<void> {
  await tx.run(sql`update instance set url = null, problem = ${code} where id = ${id}`);
}

/** Marks the revision's instances without a container. `url` is set for the copies of the ingress (copies/). */
export async function setRebuilding(tx: Tx, revision_id: string, isRebuilding: boolean): Promise<void> {
  await tx.run(sql`
    update instance set url = null, rebuilding_since = case when ${isRebuilding} then coalesce(rebuilding_since, clock_now()) end
    where revision_id = ${revision_id} and url is null`);
}

/** The reason why the revision's missing containers do not run. */
export async function setLastExit(tx: Tx, revision_id: string, last_exit: string): Promise<void> {
  await tx.run(sql`update instance set last_exit = ${last_exit} where revision_id = ${revision_id} and url is null`);
}

export async function setPlace(
  tx: Tx,
  id: string,
  { place, egress }: { place: Place; egress: string[] | null },
): Promise<void> {
  await tx.run(sql`
    update instance set place = ${JSON.stringify(place)}, egress = ${JSON.stringify(egress)} where id = ${id}`);
}

/** Its container answers. False when the instance is gone. */
export async function setStarted(
  tx: Tx,
  started: { id: string; url: string; key_id: string | null },
): Promise<boolean> {
  const changed = await tx.run(sql`
    update instance set url = ${started.url}, key_id = ${started.key_id},
      state = 'serving', detail = ${serving}, in_flight = null, seen_at = clock_now(), started_at = clock_now() where id = ${started.id}`);
  return changed === 1;
}

export async function setStopped(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`delete from join_token where instance_id = ${id}`);
  await tx.run(
    sql`update instance set url = null, problem = null, failures = 0, next_start_at = null, seen_at = null where id = ${id}`,
  );
}

/** Forgets the failures of containers that have run long enough. */
export async function forgetFailures(tx: Tx, steady_seconds: number): Promise<void> {
  await tx.run(sql`
    update instance set failures = 0, next_start_at = null
    where failures > 0 and url is not null and started_at < clock_now() - ${steady_seconds}::float8 * interval '1 s'`);
}

/** An instance that takes calls. */
export interface Address {
  id: string;
  target: TargetName;
  place: Place;
  url: string;
}

/** A revision as its calls need it. */
export interface CalledRevision {
  revision_id: string;
  version_id: string;
  key_id: string | null;
}

const address = sql`jsonb_build_object('id', i.id, 'target', i.target, 'place', i.place, 'url', i.url)`;

/** With its address while it has one: a draining instance still answers for its calls. */
export const calledInstance = async (db: Reader, id: string) =>
  await db.one<CalledRevision & { agent_id: string; team_id: string; team: string; address: Address | null }>(sql`
    select i.revision_id, v.version_id, v.key_id, v.agent_id, a.team_id, t.name as team,
      case when i.url is null then null else ${address} end as address
    from instance i join revision v on v.id = i.revision_id join asset a on a.id = v.agent_id join team t on t.id = a.team_id
    where i.id = ${id}`);

/** The revision behind an agent's address, its instances that take calls, and the desired state. */
export interface ServingRow extends CalledRevision {
  addresses: Address[];
  /** The start of an instance that takes calls once it has started. */
  start: Start | null;
  desired: Desired;
  kept_by_service: boolean;
  needs_run: boolean;
  /** Settings of the organisation. */
  hide_trace_inputs: boolean;
  hide_trace_outputs: boolean;
}

export interface Start {
  /** The end of the last attempt; null until it has failed. */
  problem: ProblemCode | null;
  next_start_at: string | null;
  rebuilding_since: string | null;
}

/** All columns of `agents` and the serving columns. These are null for an agent that is not deployed. */
export const servedAgents = async <Agent extends object>(db: Reader, agents: Sql) =>
  await db.all<Agent & (ServingRow | { revision_id: null })>(sql`
    select a.*, s.* from (${agents}) a left join (
      select r.agent_id as serving_agent_id, v.id as revision_id, v.version_id, r.desired, v.key_id, v.kept_by_service, v.needs_run, o.hide_trace_inputs,
        o.hide_trace_outputs, coalesce((
          select jsonb_agg(${address} order by i.n) from instance i
          where i.revision_id = v.id and i.url is not null and i.draining_since is null), '[]') as addresses, (
          select jsonb_build_object('problem', i.problem, 'next_start_at', i.next_start_at, 'rebuilding_since', i.rebuilding_since) from instance i
          where i.revision_id = v.id and i.url is null and i.draining_since is null order by i.n limit 1) as start
      from org o, route r join revision v on v.id = r.revision_id where r.is_default
    ) s on s.serving_agent_id = a.id`);

/** An expression with a new value after each change of an instance or its address. */
export const instanceEpoch = sql`(select epoch::text from instance_epoch)`;
