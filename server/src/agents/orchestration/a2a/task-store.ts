// Runs that messages of A2A have begun, as the tasks that the protocol shows. There is no second store of them.
import type { TaskView } from '../../invoke/a2a/print-task.ts';
import type { TaskFilter, TaskPage } from '../../invoke/a2a/task-host.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { allOf, sql, type Sql } from '../../../ground/database/sql.ts';
import { kind } from '../runs/orchestration-run.ts';

/** A caller's own tasks with an orchestration. */
export interface TaskOwner {
  orchestration_id: string;
  caller_id: string;
}

/** A run that waits for a person does so in the inbox, where its members have their questions. */
export const asks_elsewhere = 'A member waits for a person. Its question is in the inbox: svc inbox.';

/** An ended one is refused or failed by the status of its problem, as a call of an agent is. */
const columns = sql`id, id as task_id, 1 as turn, input ->> 'context_id' as context_id, case when ended_at is null and state <> 'waiting' then 'running' else 'ended' end as state,
  case when state = 'waiting' then 'interrupted' when ended_at is null then null when state = 'done' then 'completed' when state = 'cancelled' then 'cancelled'
    when (problem ->> 'status')::int < 500 then 'rejected' else 'failed' end as outcome,
  to_char(coalesce(ended_at, case when state = 'waiting' then waiting_since end, created_at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at`;
const answer = sql`case when state = 'waiting' then jsonb_build_object('interrupts', jsonb_build_array(jsonb_build_object('value', ${asks_elsewhere}::text)))
  when ended_at is null then null when state = 'done' then jsonb_build_object('output', result -> 'output')
  else jsonb_build_object('code', problem ->> 'code', 'detail', problem ->> 'detail') end`;

type Row = Omit<TaskView, 'content_type' | 'body'> & { answer: object | null };

export async function findTask(db: Reader, owner: TaskOwner, task_id: string): Promise<TaskView | undefined> {
  const row = await db.one<Row>(
    sql`select ${columns}, ${answer} as answer from run where id = ${task_id} and ${isOf(owner)}`,
  );
  return row && viewOf(row);
}

/** The latest first. */
export async function listTasks(db: Reader, owner: TaskOwner, filter: TaskFilter, page: TaskPage): Promise<TaskView[]> {
  const { after, limit, max_body_bytes } = page;
  const next = after === undefined ? sql`true` : sql`(updated_at, id) < (${after.updated_at}, ${after.task_id}::uuid)`;
  const rows = await db.all<Row>(sql`
    select id, task_id, turn, context_id, state, outcome, updated_at, case when octet_length(answer::text) <= ${max_body_bytes} then answer end as answer
    from (select ${columns}, ${answer} as answer from run where ${isOf(owner)}) t
    where ${next} and ${fits(filter)} order by updated_at desc, id desc limit ${limit}`);
  return rows.map(viewOf);
}

export async function countTasks(db: Reader, owner: TaskOwner, filter: TaskFilter): Promise<number> {
  const row = await db.one<{ count: number }>(
    sql`select count(*) from (select ${columns} from run where ${isOf(owner)}) t where ${fits(filter)}`,
  );
  return row?.count ?? 0;
}

/** A run whose contents are forgotten is no task any more. */
const isOf = ({
  orchestration_id,
  caller_id,
}: TaskOwner) => sql`kind = ${kind} and input ->> 'orchestration_id' = ${orchestration_id}
  and actor_id = ${caller_id} and input ? 'context_id' and input ? 'input'`;

function fits({ context_id, state, updated_after }: TaskFilter): Sql {
  return allOf(
    [
      context_id === undefined ? [] : [sql`context_id = ${context_id}`],
      state === undefined ? [] : [sql`state = ${state.state} and outcome is not distinct from ${state.outcome}`],
      updated_after === undefined ? [] : [sql`updated_at >= ${updated_after}`],
    ].flat(),
  );
}

function viewOf({ answer: said, ...row }: Row): TaskView {
  const body = said === null ? null : Buffer.from(JSON.stringify(said));
  return { ...row, content_type: body === null ? null : 'application/json', body };
}
