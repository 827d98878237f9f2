import type { Database, Reader, Tx } from '../../../ground/database/database.ts';
import { allOf, sql, type Sql } from '../../../ground/database/sql.ts';

/** The call in which a server asks. Another call has questions of its own. */
export interface AskingCall {
  /** Null: no agent makes the call. */
  revision_id: string | null;
  caller_id: string;
  server_id: string;
  server_version: string;
  tool: string;
  arguments_digest: string;
}

export interface AskedQuestion extends AskingCall {
  question_digest: string;
}

const ofCall = (
  of: AskingCall,
): Sql => sql`q.revision_id is not distinct from ${of.revision_id}::uuid and q.caller_id = ${of.caller_id} and q.server_id = ${of.server_id}
  and q.server_version = ${of.server_version} and q.tool = ${of.tool} and q.arguments_digest = ${of.arguments_digest}`;
const bound = (of: AskedQuestion): Sql => sql`${ofCall(of)} and q.question_digest = ${of.question_digest}`;
const isOpen = sql`q.state in ('waiting', 'answered', 'declined')`;

export interface OpenQuestion {
  id: string;
  state: 'waiting' | 'answered' | 'declined';
  expires_at: string;
  /** Sealed. */
  answer: Buffer | null;
}

/** The only one that counts now. */
export const findOpen = async (db: Reader, of: AskedQuestion) =>
  await db.one<OpenQuestion>(sql`
    select q.id, q.state, q.expires_at, q.answer from tool_question q where ${bound(of)} and ${isOpen} and q.expires_at > clock_now()`);

/** The question of this call that has waited longest. */
export const findWaiting = async (db: Reader, of: AskingCall) =>
  await db.one<Pick<OpenQuestion, 'id' | 'expires_at'>>(sql`
    select q.id, q.expires_at from tool_question q
    where ${ofCall(of)} and q.state = 'waiting' and q.expires_at > clock_now() order by q.asked_at, q.id limit 1`);

/** The answer goes to the server in this call. False when another call has taken it, or it has ended. */
export async function give(db: Database, { id, call_id }: { id: string; call_id: string }): Promise<boolean> {
  const given = await db.run(sql`
    update tool_question set state = 'given', call_id = ${call_id}
    where id = ${id} and state = 'answered' and expires_at > clock_now()`);
  return given === 1;
}

/** The call to which they were given has ended: they are used up, and their values go. */
export async function useUp(db: Database, call_id: string): Promise<void> {
  await db.run(
    sql`update tool_question set state = 'used', answer = null where call_id = ${call_id} and state = 'given'`,
  );
}

/** The server has asked more, so the same call needs these answers again. */
export async function takeBack(db: Database, call_id: string): Promise<void> {
  await db.run(sql`
    update tool_question g set state = 'answered', call_id = null
    where g.call_id = ${call_id} and g.state = 'given' and not exists (
      select from tool_question q where q.revision_id is not distinct from g.revision_id and q.caller_id = g.caller_id
        and q.server_id = g.server_id and q.server_version = g.server_version and q.tool = g.tool
        and q.arguments_digest = g.arguments_digest and q.question_digest = g.question_digest and ${isOpen})`);
}

export interface NewQuestion extends AskedQuestion {
  id: string;
  agent_id: string | null;
  caller: string;
  through: readonly string[];
  /** Sealed. */
  question: Buffer;
  hours: number;
}

/** False when the same question was asked at the same time. */
export async function ask(tx: Tx, asked: NewQuestion): Promise<boolean> {
  await tx.run(sql`
    update tool_question q set state = 'expired', answer = null where ${bound(asked)} and ${isOpen} and q.expires_at <= clock_now()`);
  const inserted = await tx.run(sql`
    insert into tool_question (id, agent_id, revision_id, caller_id, caller, through, server_id, server_version, tool, arguments_digest,
      question_digest, question, expires_at)
    values (${asked.id}, ${asked.agent_id}, ${asked.revision_id}, ${asked.caller_id}, ${asked.caller}, ${asked.through}, ${asked.server_id},
      ${asked.server_version}, ${asked.tool}, ${asked.arguments_digest}, ${asked.question_digest}, ${asked.question},
      clock_now() + make_interval(hours => ${asked.hours}))
    on conflict do nothing`);
  return inserted === 1;
}

/** Of one agent for one person, or of a person without an agent. */
export const countWaiting = async (
  db: Reader,
  { agent_id, caller_id }: { agent_id: string | null; caller_id: string },
) =>
  (
    await db.one<{ count: number }>(sql`
    select count(*)::int as count from tool_question
    where caller_id = ${caller_id} and agent_id is not distinct from ${agent_id}::uuid and state = 'waiting' and expires_at > clock_now()`)
  )?.count ?? 0;

export interface QuestionRow {
  id: string;
  /** mcp-servers/<name> */
  server: string;
  server_id: string;
  /** Of the server. */
  team: string;
  server_version: string;
  tool: string;
  arguments_digest: string;
  question_digest: string;
  /** Sealed. */
  question: Buffer;
  /** agents/<name>; null: the caller itself makes the call. */
  agent: string | null;
  through: string[];
  caller_id: string;
  caller: string;
  state: string;
  asked_at: string;
  expires_at: string;
}

const rows = sql`select q.id, 'mcp-servers/' || s.name as server, q.server_id, t.name as team, q.server_version, q.tool, q.arguments_digest,
    q.question_digest, q.question, 'agents/' || g.name as agent, q.through, q.caller_id, q.caller, q.state, q.asked_at, q.expires_at
  from tool_question q join asset s on s.id = q.server_id join team t on t.id = s.team_id left join asset g on g.id = q.agent_id`;

export const find = async (db: Reader, id: string) => await db.one<QuestionRow>(sql`${rows} where q.id = ${id}`);

/** The longest waiting first. */
export const waitingFor = async (
  db: Reader,
  { user_id, after, limit }: { user_id: string; after?: [string, string] | undefined; limit: number },
) =>
  await db.all<QuestionRow>(
    sql`${rows} where ${allOf([
      sql`q.caller_id = ${user_id} and q.state = 'waiting' and q.expires_at > clock_now()`,
      ...(after === undefined ? [] : [sql`(q.asked_at, q.id) > (${after[0]}::timestamptz, ${after[1]}::uuid)`]),
    ])} order by q.asked_at, q.id limit ${limit}`,
  );

export const countFor = async (db: Reader, { user_id, most }: { user_id: string; most: number }) =>
  (
    await db.one<{ count: number }>(sql`
    select count(*)::int as count from (
      select from tool_question where caller_id = ${user_id} and state = 'waiting' and expires_at > clock_now() limit ${most}) w`)
  )?.count ?? 0;

/** Without an answer it is declined. False when it was decided before, or has expired. */
export async function decide(tx: Tx, { id, answer }: { id: string; answer: Buffer | null }): Promise<boolean> {
  const decided = await tx.run(sql`
    update tool_question set state = ${answer === null ? 'declined' : 'answered'}, answer = ${answer}
    where id = ${id} and state = 'waiting' and expires_at > clock_now()`);
  return decided === 1;
}

/** The arguments and the answers are a person's words, so no row outlives its time for long. */
export async function forgetOld(db: Database, keep_days: number): Promise<void> {
  await db.run(sql`delete from tool_question where expires_at < clock_now() - make_interval(days => ${keep_days})`);
}

export const forgetOf = async (tx: Tx, caller_id: string) =>
  await tx.run(sql`delete from tool_question where caller_id = ${caller_id}`);
