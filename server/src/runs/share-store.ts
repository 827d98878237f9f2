// Which runs may begin. Each process counts what it executes itself, by the rows that it holds: so no user and no team takes all places of
// any process, however many there are, and two that claim at the same moment do not count each other.
import type { Database } from '../database/database.ts';
import { sql, type Sql } from '../database/sql.ts';
import type { RunKinds } from './run.ts';

/** Who claims, and what it may take. */
export interface Places {
  owner: string;
  kinds: RunKinds;
  /** Of all kinds. */
  concurrency: number;
}

// What has waited shorter than this only waits for somebody to look.
const unsaid_ms = 2000;

const sentences = {
  user: 'Waits: as many runs of its user as may are running already.',
  team: 'Waits: its team has its share of the places already. It begins when a run of the team ends.',
  kind: 'Waits: as many runs of its kind as may are running already.',
  place: 'Waits for a place: as many runs as may are running already.',
};

/** Of `run as candidate`: what it waits for, or null where it may begin. One that is being ended needs no share: it takes no long time. */
export function waitsFor({ owner, kinds, concurrency }: Places): Sql {
  const all = { most: concurrency, team: concurrency, user: concurrency };
  const shares = Object.entries(kinds).map(([kind, { shares: share = all }]) => ({ kind, ...share }));
  return sql`(
    select case
      when candidate.cancel_requested_at is not null or candidate.ending is not null then null
      when count(*) filter (where held.kind = candidate.kind and held.actor_id = candidate.actor_id) >= share.user_most then 'user'
      when count(*) filter (where held.kind = candidate.kind and held.team_id = candidate.team_id) >= share.team_most then 'team'
      -- Of all kinds together, a team leaves one place to the others.
      when count(*) filter (where held.team_id = candidate.team_id) >= greatest(${concurrency} - 1, 1) then 'team'
      when count(*) filter (where held.kind = candidate.kind) >= share.most then 'kind'
      when count(held.id) >= ${concurrency} then 'place'
    end
    from (select (one ->> 'most')::int as most, (one ->> 'team')::int as team_most, (one ->> 'user')::int as user_most
          from jsonb_array_elements(${JSON.stringify(shares)}::jsonb) as one where one ->> 'kind' = candidate.kind) as share
    left join run as held on held.owner = ${owner} and held.lease_until >= clock_now() and held.id <> candidate.id
      and held.state in ('queued', 'running', 'cancelling')
    group by share.most, share.team_most, share.user_most)`;
}

/** Says of runs that wait for long why they do, once each. Answers their ids. */
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
