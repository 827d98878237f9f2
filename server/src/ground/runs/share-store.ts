// Decides which runs may begin. One run of a mutex begins at a time, in the order of their rows. Each process counts only its own
// runs, by the rows that it holds. So no user and no team takes all places of a kind in a process, for any number of processes.
// Two processes that claim at the same moment do not count each other.
import type { Database } from '../database/database.ts';
import { sql, type Sql } from '../database/sql.ts';
import type { RunKinds } from './run.ts';

/** The claiming process and its places. */
export interface Places {
  owner: string;
  kinds: RunKinds;
}

// A run that has waited for less time is only waiting for the next claim.
const unsaid_ms = 2000;

const sentences = {
  mutex: 'Waits: an earlier run of the same agent has not ended.',
  user: 'Waits: the limit for runs of its user is reached.',
  team: 'Waits: its team has its share of the places. The run begins when another run of the team ends.',
  kind: 'Waits: the limit for runs of its kind is reached.',
};

/** The limit that `run as candidate` waits for, or null when it may begin. A run that is ending needs no share, because it is short. */
export function waitsFor({ owner, kinds }: Places): Sql {
  const shares = Object.entries(kinds).map(([kind, { shares: share }]) => ({ kind, ...share }));
  return sql`(
    select case
      when candidate.cancel_requested_at is not null or candidate.ending is not null then null
      when candidate.started_at is null and exists (
        select from run as other where other.mutex = candidate.mutex and other.id <> candidate.id
          and other.state in ('queued', 'running', 'cancelling')
          and (other.started_at is not null or (other.created_at, other.id) < (candidate.created_at, candidate.id))) then 'mutex'
      when count(*) filter (where held.actor_id = candidate.actor_id) >= share.user_max then 'user'
      when count(*) filter (where held.team_id = candidate.team_id) >= share.team_max then 'team'
      when count(held.id) >= share.max then 'kind'
    end
    from (select (one ->> 'max')::int as max, (one ->> 'team')::int as team_max, (one ->> 'user')::int as user_max
          from jsonb_array_elements(${JSON.stringify(shares)}::jsonb) as one where one ->> 'kind' = candidate.kind) as share
    left join run as held on held.owner = ${owner} and held.kind = candidate.kind and held.lease_until >= clock_now() and held.id <> candidate.id
      and held.state in ('queued', 'running', 'cancelling')
    group by share.max, share.team_max, share.user_max)`;
}

/** Writes the reason of each long wait once. Returns the ids of those runs. */
export async function sayWaiting(db: Database, places: Places): Promise<string[]> {
  const rows = await db.all<{ run_id: string }>(sql`
    with told as (
      update run as candidate set last_seq = last_seq + 1, waits_for = ${waitsFor(places)}
      where state = 'queued' and waits_for is null and kind = any(${Object.keys(places.kinds)})
        and created_at < clock_now() - ${unsaid_ms}::float8 * interval '1 ms' and ${waitsFor(places)} is not null
      returning id, last_seq, waits_for)
    insert into run_event (run_id, seq, kind, message, data)
    select id, last_seq, 'wait', ${JSON.stringify(sentences)}::jsonb ->> waits_for, '{}' from told returning run_id`);
  return rows.map(({ run_id }) => run_id);
}
