import { event_days, most_events, type AgentEventKind, type EndReason } from '@gantry/contract/agents/agent-events.ts';
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface EventRow {
  id: number;
  at: string;
  kind: AgentEventKind;
  reason: string | null;
  detail: string;
  target: string;
  revision_id: string | null;
  n: number | null;
}

export interface NewEvent {
  agent_id: string;
  target: string;
  revision_id?: string;
  /** The instance that the event is about, with its number. */
  instance?: { id: string; n: number };
  kind: AgentEventKind;
  reason?: string;
  detail: string;
}

/** Also deletes those of the agent that are too old or too many. */
export async function insertEvent(tx: Tx, { instance, ...event }: NewEvent): Promise<void> {
  const { agent_id, target, revision_id = null, kind, reason = null, detail } = event;
  await tx.run(sql`
    insert into agent_event (agent_id, target, revision_id, instance_id, n, kind, reason, detail)
    values (${agent_id}, ${target}, ${revision_id}, ${instance?.id ?? null}, ${instance?.n ?? null}, ${kind}, ${reason}, ${detail})`);
  await tx.run(sql`
    delete from agent_event where agent_id = ${agent_id} and (
      at < clock_now() - make_interval(days => ${event_days})
      or id <= (select id from agent_event where agent_id = ${agent_id} order by id desc offset ${most_events} limit 1))`);
}

/** Newest first. */
export const events = async (
  db: Reader,
  { agent_id, before, limit }: { agent_id: string; before: number | undefined; limit: number },
) =>
  await db.all<EventRow>(sql`
    select id, at, kind, reason, detail, target, revision_id, n from agent_event
    where agent_id = ${agent_id} and id < ${before ?? Number.MAX_SAFE_INTEGER}::bigint
      and at >= clock_now() - make_interval(days => ${event_days})
    order by id desc limit ${limit}`);

export interface LastEnd {
  reason: EndReason;
  detail: string;
}

/** Also of an instance that is removed. */
export const lastEnd = async (db: Reader, instance_id: string, within_seconds: number) =>
  await db.one<LastEnd>(sql`
    select reason, detail from agent_event
    where instance_id = ${instance_id} and kind = 'ended' and at >= clock_now() - make_interval(secs => ${within_seconds})
    order by id desc limit 1`);

interface Crashes {
  crashes: number;
  /** Without those of containers that were removed from outside. */
  own: number;
  /** The reason of the last one. */
  last: string;
}

/** The ends and failed starts of a revision, without those that a user or the service asked for. */
export async function crashesOf(
  db: Reader,
  { revision_id, window_minutes }: { revision_id: string; window_minutes: number },
): Promise<Crashes> {
  const row = await db.one<{ crashes: number; own: number; last: string | null }>(sql`
    select count(*) as crashes, count(*) filter (where reason <> 'removed') as own, (array_agg(reason order by id desc))[1] as last from agent_event
    where agent_id = (select agent_id from revision where id = ${revision_id}) and revision_id = ${revision_id} and ${isCrash}
      and at > clock_now() - make_interval(mins => ${window_minutes})`);
  return { crashes: row?.crashes ?? 0, own: row?.own ?? 0, last: row?.last ?? '' };
}

const isCrash = sql`(kind = 'start_failed' or (kind = 'ended' and reason <> 'stopped'))`;

interface OnTarget {
  agent_id: string;
  target: string;
}

/** False when it has begun already. */
export async function beginCrashLoop(tx: Tx, { agent_id, target }: OnTarget): Promise<boolean> {
  const added = sql`insert into crash_loop (agent_id, target) values (${agent_id}, ${target}) on conflict do nothing`;
  return (await tx.run(added)) > 0;
}

/** Without a crash for that time. `serves`: one of its containers takes calls. */
export const endedCrashLoops = async (db: Reader, window_minutes: number) =>
  await db.all<OnTarget & { since: string; serves: boolean }>(sql`
    select c.agent_id, c.target, c.since, exists (
      select from route r join instance i on i.revision_id = r.revision_id
      where r.agent_id = c.agent_id and r.target = c.target and r.desired = 'running' and i.url is not null) as serves
    from crash_loop c where not exists (
      select from agent_event e where e.agent_id = c.agent_id and e.target = c.target and ${isCrash}
        and e.at > clock_now() - make_interval(mins => ${window_minutes}))`);

/** False when another process was first. */
export async function endCrashLoop(tx: Tx, { agent_id, target }: OnTarget): Promise<boolean> {
  return (await tx.run(sql`delete from crash_loop where agent_id = ${agent_id} and target = ${target}`)) > 0;
}

/** With an open crash loop on any target. */
export async function crashingAgents(db: Reader, agent_ids: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ agent_id: string }>(
    sql`select distinct agent_id from crash_loop where agent_id = any(${agent_ids}::uuid[])`,
  );
  return rows.map(({ agent_id }) => agent_id);
}
