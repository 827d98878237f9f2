// Runs that wait for a person. The contents are in thread-store.ts.
import type { Reader } from '../../../ground/database/database.ts';
import { allOf, nothing, sql, type Sql } from '../../../ground/database/sql.ts';
import { isWorking, owner } from '../thread-store.ts';

export interface WaitingRow {
  id: string;
  agent_id: string;
  agent: string;
  owner_id: string;
  /** An e-mail address, or a reference. */
  owner: string | null;
  name: string;
  /** Sealed. */
  waits: Buffer;
  waiting_since: string;
  checkpoint_id: string;
  /** Of the serving version. */
  may_answer: string[];
  /** The orchestration whose run waits for the answer. */
  orchestration: string | null;
}

/** Of the thread `t`. */
function waitingRun(what: Sql): Sql {
  return sql`select ${what} from thread_wait w join run r on r.id = w.run_id and r.ended_at is null where w.thread_id = t.id and w.value is null`;
}

/** Whom the serving version names. */
function answerersOf(agent_id: Sql): Sql {
  return sql`coalesce((select array(select jsonb_array_elements_text(c.config -> 'access' -> 'may_answer')) from route r
    join revision v on v.id = r.revision_id join content c on c.digest = v.digest where r.is_default and r.agent_id = ${agent_id}), '{}')`;
}

const columns = sql`t.id, t.agent_id, a.name as agent, t.owner_id, t.name, t.waits, t.waiting_since,
  ${owner} as owner,
  (select max(s.id) from thread_state s where s.thread_id = t.id and s.ns = '') as checkpoint_id,
  (${waitingRun(sql`r.input ->> 'name'`)}) as orchestration,
  ${answerersOf(sql`t.agent_id`)} as may_answer`;

// A thread of another asset's call waits only when the run of that asset waits too.
/** Of the thread `t`. */
export const waits = sql`t.waits is not null and (t.via is null or exists (${waitingRun(sql`1`)})) and not ${isWorking}`;

/** Candidates for one person: their own, and those of agents that name others to answer. The longest waiting first. */
export const waitingFor = async (
  db: Reader,
  of: {
    owner_id: string;
    own: boolean;
    after: [string, string] | undefined;
    team_id?: string | undefined;
    limit: number;
  },
) =>
  await db.all<WaitingRow>(sql`
    select * from (select ${columns} from thread t join asset a on a.id = t.agent_id
      where ${waits} ${of.team_id === undefined ? nothing : sql`and a.team_id = ${of.team_id}`}) w
    where checkpoint_id is not null and ${allOf([
      of.own ? sql`owner_id = ${of.owner_id}` : sql`(owner_id = ${of.owner_id} or may_answer <> '{}')`,
      ...(of.after === undefined
        ? []
        : [sql`(waiting_since, id) > (${of.after[0]}::timestamptz, ${of.after[1]}::uuid)`]),
    ])} order by waiting_since, id limit ${of.limit}`);

export const waitingThread = async (db: Reader, { id, agent_id }: { id: string; agent_id: string }) =>
  await db.one<WaitingRow>(sql`
    select ${columns} from thread t join asset a on a.id = t.agent_id where t.id = ${id} and t.agent_id = ${agent_id} and ${waits}`);

export const ownWaitingThread = async (
  db: Reader,
  { id, agent, owner_id }: { id: string; agent: string; owner_id: string },
) =>
  await db.one<WaitingRow>(sql`
    select ${columns} from thread t join asset a on a.id = t.agent_id
    where t.id = ${id} and a.name = ${agent} and t.owner_id = ${owner_id} and ${waits}`);

export const answerers = async (db: Reader, agent_id: string): Promise<string[]> =>
  (await db.one<{ names: string[] }>(sql`select ${answerersOf(sql`${agent_id}::uuid`)} as names`))?.names ?? [];

/** Of what a notice told, that which still waits for the same answer. The person's own first. */
export const waitingOfNotice = async (db: Reader, of: { notice_id: string; owner_id: string; limit: number }) =>
  await db.all<WaitingRow>(sql`
    select ${columns} from thread t join asset a on a.id = t.agent_id
    where t.notice_id = ${of.notice_id} and t.told_since = t.waiting_since and ${waits}
    order by t.owner_id <> ${of.owner_id}, t.waiting_since, t.id limit ${of.limit}`);
