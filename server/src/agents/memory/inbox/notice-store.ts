// What people were told of waiting runs.
import { randomUUID } from 'node:crypto';
import type { Reader, Tx } from '../../../ground/database/database.ts';
import { sql, type Sql } from '../../../ground/database/sql.ts';
import { owner } from '../thread-store.ts';
import { waits } from './inbox-store.ts';

/** After a notice about an agent, the next one names all that has begun to wait meanwhile. */
const pause_minutes = 15;

/** Of the thread `t`. */
const isUntold = (waited_minutes: number): Sql => sql`t.told_since is distinct from t.waiting_since
  and t.waiting_since <= clock_now() - make_interval(mins => ${waited_minutes}) and ${waits}`;
/** Of the notice `n`. */
const isRecent = sql`n.told_at > clock_now() - make_interval(mins => ${pause_minutes})`;

export const agentsToTellOf = async (
  db: Reader,
  { waited_minutes, limit }: { waited_minutes: number; limit: number },
) =>
  (
    await db.all<{ agent_id: string }>(sql`
      select distinct t.agent_id from thread t where ${isUntold(waited_minutes)}
        and not exists (select from waiting_notice n where n.agent_id = t.agent_id and ${isRecent}) order by t.agent_id limit ${limit}`)
  ).map(({ agent_id }) => agent_id);

export interface ToldThread {
  id: string;
  owner_id: string;
  /** An e-mail address, or a reference. */
  owner: string | null;
}

/** The threads that people are told of now. Empty when another process was first: the row of the agent orders them. */
export async function takeUntold(
  tx: Tx,
  { agent_id, waited_minutes }: { agent_id: string; waited_minutes: number },
): Promise<{ notice_id: string; threads: ToldThread[] }> {
  const notice_id = randomUUID();
  const threads = await tx.all<ToldThread>(sql`
    with untold as materialized (
      select t.id from thread t where t.agent_id = ${agent_id} and ${isUntold(waited_minutes)} for update of t skip locked),
    notice as (
      insert into waiting_notice as n (agent_id, id, told_at)
      select ${agent_id}, ${notice_id}, clock_now() where exists (select from untold)
      on conflict (agent_id) do update set id = excluded.id, told_at = excluded.told_at where not (${isRecent}) returning n.id)
    update thread t set notice_id = notice.id, told_since = t.waiting_since from untold, notice
    where t.id = untold.id returning t.id, t.owner_id, ${owner} as owner`);
  return { notice_id, threads };
}

/** Of those that still wait for the same answer. */
export const runsOf = async (db: Reader, notice_id: string) =>
  await db.all<{ owner_id: string; count: number }>(sql`
    select t.owner_id, count(*) as count from thread t where t.notice_id = ${notice_id} and t.told_since = t.waiting_since and ${waits} group by 1`);
