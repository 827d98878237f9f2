import type { Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Answer } from './answer.ts';

export interface Invocation {
  id: string;
  agent_id: string;
  revision_id: string;
  caller_id: string;
  state: 'running' | 'ended';
  status: number | null;
  content_type: string | null;
  body: Buffer | null;
}

const columns = sql`id, agent_id, revision_id, caller_id, state, status, content_type, body`;

export async function insertRunning(
  db: Tx,
  row: Pick<Invocation, 'id' | 'agent_id' | 'revision_id' | 'caller_id'>,
): Promise<void> {
  await db.run(
    sql`insert into invocation (id, agent_id, revision_id, caller_id, state) values (${row.id}, ${row.agent_id}, ${row.revision_id}, ${row.caller_id}, 'running')`,
  );
}

/** Keeps the first answer. */
export async function end(db: Tx, id: string, answer: Answer): Promise<void> {
  await db.run(sql`
    update invocation set state = 'ended', status = ${answer.status}, content_type = ${answer.content_type}, body = ${answer.body}, ended_at = clock_now()
    where id = ${id} and state = 'running'`);
}

/** The caller's own call to the agent. Undefined for another caller's call. */
export async function find(
  db: Reader,
  { id, agent_id, caller_id }: Pick<Invocation, 'id' | 'agent_id' | 'caller_id'>,
): Promise<Invocation | undefined> {
  return await db.one<Invocation>(
    sql`select ${columns} from invocation where id = ${id} and agent_id = ${agent_id} and caller_id = ${caller_id}`,
  );
}

export async function running(db: Reader): Promise<Invocation[]> {
  return await db.all<Invocation>(sql`select ${columns} from invocation where state = 'running'`);
}

export async function forgetOld(db: Tx, keep_days: number): Promise<number> {
  return await db.run(sql`delete from invocation where ended_at < clock_now() - make_interval(days => ${keep_days})`);
}
