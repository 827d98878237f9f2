import type { Database, Reader, Tx } from '../../../ground/database/database.ts';
import { allOf, sql, type Sql } from '../../../ground/database/sql.ts';

/** What an approval is bound to. Another call has an approval of its own. */
export interface Binding {
  /** Null: no agent makes the call. */
  revision_id: string | null;
  caller_id: string;
  server_id: string;
  server_version: string;
  tool: string;
  arguments_digest: string;
  policy_digest: string;
}

export interface OpenApproval {
  id: string;
  state: 'waiting' | 'approved' | 'rejected';
  expires_at: string;
  by_other: boolean;
  caller_id: string;
  decided_by: string | null;
  decided_by_label: string | null;
  note: string | null;
}

const bound = (
  of: Binding,
): Sql => sql`a.revision_id is not distinct from ${of.revision_id}::uuid and a.caller_id = ${of.caller_id} and a.server_id = ${of.server_id}
  and a.server_version = ${of.server_version} and a.tool = ${of.tool} and a.arguments_digest = ${of.arguments_digest}
  and a.policy_digest = ${of.policy_digest}`;

/** The only one that counts now. */
export const findOpen = async (db: Reader, of: Binding) =>
  await db.one<OpenApproval>(sql`
    select a.id, a.state, a.expires_at, a.by_other, a.caller_id, a.decided_by, a.decided_by_label, a.note from tool_approval a
    where ${bound(of)} and a.state in ('waiting', 'approved', 'rejected') and a.expires_at > clock_now()`);

/** False when another call has used it up, or it has ended. */
export async function use(db: Database, { id, call_id }: { id: string; call_id: string }): Promise<boolean> {
  const used = await db.run(sql`
    update tool_approval set state = 'used', call_id = ${call_id}
    where id = ${id} and state = 'approved' and expires_at > clock_now()`);
  return used === 1;
}

/** Who has approved it may not any more. */
export async function annul(db: Database, id: string): Promise<void> {
  await db.run(sql`update tool_approval set state = 'void' where id = ${id} and state = 'approved'`);
}

export interface AskedApproval extends Binding {
  id: string;
  agent_id: string | null;
  caller: string;
  through: readonly string[];
  /** Sealed. */
  arguments: Buffer;
  wanted_by: readonly string[];
  by_other: boolean;
  hours: number;
}

/** False when the same call was asked for at the same time. */
export async function ask(tx: Tx, asked: AskedApproval): Promise<boolean> {
  await tx.run(sql`
    update tool_approval a set state = 'expired'
    where ${bound(asked)} and a.state in ('waiting', 'approved', 'rejected') and a.expires_at <= clock_now()`);
  const inserted = await tx.run(sql`
    insert into tool_approval (id, agent_id, revision_id, caller_id, caller, through, server_id, server_version, tool, arguments_digest,
      policy_digest, arguments, wanted_by, by_other, expires_at)
    values (${asked.id}, ${asked.agent_id}, ${asked.revision_id}, ${asked.caller_id}, ${asked.caller}, ${asked.through}, ${asked.server_id},
      ${asked.server_version}, ${asked.tool}, ${asked.arguments_digest}, ${asked.policy_digest}, ${asked.arguments}, ${asked.wanted_by},
      ${asked.by_other}, clock_now() + make_interval(hours => ${asked.hours}))
    on conflict do nothing`);
  return inserted === 1;
}

/** Of one agent, or of one caller without an agent. */
export const countWaiting = async (
  db: Reader,
  { agent_id, caller_id }: { agent_id: string | null; caller_id: string },
) =>
  (
    await db.one<{ count: number }>(sql`
    select count(*)::int as count from tool_approval
    where ${agent_id === null ? sql`agent_id is null and caller_id = ${caller_id}` : sql`agent_id = ${agent_id}`} and state = 'waiting' and expires_at > clock_now()`)
  )?.count ?? 0;

export interface WaitingRow {
  id: string;
  server_id: string;
  /** mcp-servers/<name> */
  server: string;
  /** Of the server. */
  team_id: string;
  server_version: string;
  tool: string;
  /** Sealed. */
  arguments: Buffer;
  arguments_digest: string;
  /** agents/<name>; null: the caller itself makes the call. */
  agent: string | null;
  through: string[];
  caller_id: string;
  caller: string;
  wanted_by: string[];
  by_other: boolean;
  state: string;
  asked_at: string;
  expires_at: string;
}

const rows = sql`select a.id, a.server_id, case s.kind when 'tool' then 'tools/' else 'mcp-servers/' end || s.name as server, s.team_id,
    a.server_version, a.tool, a.arguments, a.arguments_digest,
    'agents/' || g.name as agent, a.through, a.caller_id, a.caller, a.wanted_by, a.by_other, a.state, a.asked_at, a.expires_at
  from tool_approval a join asset s on s.id = a.server_id left join asset g on g.id = a.agent_id`;

export const find = async (db: Reader, id: string) => await db.one<WaitingRow>(sql`${rows} where a.id = ${id}`);

interface Decider {
  user_id: string;
  /** Of the servers of these teams; undefined: of all. */
  team_ids: readonly string[] | undefined;
}

/** Of the request `a` for a call of the server `s`. */
const forDecider = ({ user_id, team_ids }: Decider): Sql[] => [
  sql`a.state = 'waiting' and a.expires_at > clock_now() and not (a.by_other and a.caller_id = ${user_id})`,
  ...(team_ids === undefined ? [] : [sql`s.team_id = any(${team_ids}::uuid[])`]),
];

/** The longest waiting first. */
export const waitingFor = async (
  db: Reader,
  {
    after,
    server_id,
    limit,
    ...of
  }: Decider & { after?: [string, string] | undefined; server_id?: string; limit: number },
) =>
  await db.all<WaitingRow>(
    sql`${rows} where ${allOf([
      ...forDecider(of),
      ...(server_id === undefined ? [] : [sql`a.server_id = ${server_id}`]),
      ...(after === undefined ? [] : [sql`(a.asked_at, a.id) > (${after[0]}::timestamptz, ${after[1]}::uuid)`]),
    ])} order by a.asked_at, a.id limit ${limit}`,
  );

export const countFor = async (db: Reader, { most, ...of }: Decider & { most: number }) =>
  (
    await db.one<{ count: number }>(sql`
    select count(*)::int as count from (
      select from tool_approval a join asset s on s.id = a.server_id where ${allOf(forDecider(of))} limit ${most}) w`)
  )?.count ?? 0;

/** False when it was decided before, or has expired. */
export async function decide(
  tx: Tx,
  of: { id: string; state: 'approved' | 'rejected'; by: { id: string; label: string }; note: string | undefined },
): Promise<boolean> {
  const decided = await tx.run(sql`
    update tool_approval set state = ${of.state}, decided_by = ${of.by.id}, decided_by_label = ${of.by.label}, decided_at = clock_now(),
      note = ${of.note ?? null}
    where id = ${of.id} and state = 'waiting' and expires_at > clock_now()`);
  return decided === 1;
}

/** The arguments are a caller's words, so no row outlives its time for long. */
export async function forgetOld(db: Database, keep_days: number): Promise<void> {
  await db.run(sql`delete from tool_approval where expires_at < clock_now() - make_interval(days => ${keep_days})`);
}

export const forgetOf = async (tx: Tx, caller_id: string) =>
  await tx.run(sql`delete from tool_approval where caller_id = ${caller_id}`);
