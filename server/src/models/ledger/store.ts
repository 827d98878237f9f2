import type { GovernedTx } from '../../governance/access/change.ts';
import type { Database, Reader, Tx } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { newAccount, noLimits, startWindows, type Account, type Limits } from './account.ts';
import type { Rate } from './rate.ts';

export interface Budget {
  id: string;
  limits: Limits;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
}

/** The provider of a call of a tool: its model is the server, its upstream model the tool. */
export const tool_provider = 'tool';

/** What the ledger says about a call. It is known before the call, so it is stored with the hold. */
export interface CallRecord extends RunOfCall {
  key_id: string;
  key: string;
  team: string | null;
  user: string | null;
  agent: string | null;
  principal: string | null;
  tags: string[];
  model: string;
  provider: string;
  upstream_model: string;
  attempt: number;
  /** The version of the price; null without one. */
  price: string | null;
  /** The same for all attempts of a call. */
  call_id: string;
}

/** The run that made a call; null for one that no run made. */
export interface RunOfCall {
  run_id: string | null;
  root_run_id: string | null;
  /** The end caller of the run. */
  caller_id: string | null;
  trace_id: string | null;
}

export interface Hold {
  id: string;
  accounts: string[];
  day: string;
  nano: number;
  second: number;
  tokens: number;
  call: CallRecord;
}

export interface LedgerRow extends CallRecord, Used {
  hold_id: string;
  day: string;
  accounts: string[];
  outcome: 'answered' | 'refused' | 'failed' | 'lost';
  estimated: boolean;
  nano: number;
  /** Now when absent. */
  at?: string;
  /** The row that this one corrects. */
  corrects?: string;
}

/** The tokens of one call. */
export interface Used {
  /** Cached or not. */
  input_tokens: number;
  output_tokens: number;
  /** By the classes that prices know. */
  usage: Readonly<Record<string, number>>;
}

const accountColumns = sql`id, day::text as day, json_build_object('day', day_spent, 'week', week_spent, 'month', month_spent) as spent,
  json_build_object('day', day_held, 'week', week_held, 'month', month_held) as held, paused_at is not null as is_paused`;

/** Locks them in the order of their ids, so that two batches cannot wait for each other. */
export const lockAccounts = async (tx: Tx, ids: readonly string[]) =>
  await tx.all<Account>(sql`
    select ${accountColumns} from account where id = any(${ids}) order by id for update`);

const budgetColumns = sql`id, json_build_object('day', day_nano, 'week', week_nano, 'month', month_nano) as limits, requests_per_minute, tokens_per_minute`;

export const budgets = async (db: Reader, ids: readonly string[]) =>
  await db.all<Budget>(sql`select ${budgetColumns} from budget where id = any(${ids})`);

/** What decides about these accounts beside their counters. One statement, because each costs the processor as much as its rows. */
export async function deciding(
  tx: Tx,
  ids: readonly string[],
): Promise<{ now: string; budgets: readonly Budget[]; rates: readonly Rate[] }> {
  const list = (rows: Sql) => sql`(select coalesce(json_agg(r), '[]') from (${rows}) r)`;
  const row = await tx.one<{ now: string; budgets: Budget[]; rates: Rate[] }>(sql`
    select clock_now() as now, ${list(sql`select ${budgetColumns} from budget where id = any(${ids})`)} as budgets,
      ${list(sql`select id, second, requests, tokens from rate where id = any(${ids})`)} as rates`);
  if (row === undefined) throw new Error('the clock always answers');
  return row;
}

/** The ones that nothing has settled before. */
export const takeHolds = async (tx: Tx, ids: readonly string[]) =>
  await tx.all<Hold>(
    sql`delete from hold where id = any(${ids}) returning id, accounts, day::text as day, nano, second, tokens, call`,
  );

/** In ISO 8601. */
export async function clock(db: Reader): Promise<string> {
  const row = await db.one<{ now: string }>(sql`select clock_now() as now`);
  if (row === undefined) throw new Error('the clock always answers');
  return row.now;
}

export interface Written {
  accounts: readonly Account[];
  rates: readonly Rate[];
  holds: readonly (Hold & { deadline: string; process: string | null })[];
  rows: readonly LedgerRow[];
}

/** One statement, so that the commit can follow it at once. */
export function write({ accounts, rates, holds, rows }: Written): Sql {
  const amounts = (part: 'spent' | 'held', window: 'day' | 'week' | 'month') =>
    sql`${accounts.map((account) => account[part][window])}::bigint[]`;
  return sql`
    with moved as (
      update account a set day = n.day, day_spent = n.day_spent, week_spent = n.week_spent, month_spent = n.month_spent,
        day_held = n.day_held, week_held = n.week_held, month_held = n.month_held
      from unnest(${accounts.map(({ id }) => id)}::uuid[], ${accounts.map(({ day }) => day)}::date[],
        ${amounts('spent', 'day')}, ${amounts('spent', 'week')}, ${amounts('spent', 'month')},
        ${amounts('held', 'day')}, ${amounts('held', 'week')}, ${amounts('held', 'month')})
        as n (id, day, day_spent, week_spent, month_spent, day_held, week_held, month_held)
      where a.id = n.id),
    counted as (
      insert into rate select * from jsonb_to_recordset(${JSON.stringify(rates)}::jsonb)
        as r (id uuid, second bigint, requests integer[], tokens integer[])
      on conflict (id) do update set second = excluded.second, requests = excluded.requests, tokens = excluded.tokens),
    held as (
      insert into hold (id, accounts, day, nano, second, tokens, deadline, process, call)
      select id, accounts, day, nano, second, tokens, deadline, process, call from jsonb_to_recordset(${JSON.stringify(holds)}::jsonb)
        as h (id uuid, accounts uuid[], day date, nano bigint, second bigint, tokens integer, deadline timestamptz, process uuid, call jsonb))
    insert into ledger (hold_id, at, day, key_id, accounts, key, team, "user", agent, principal, tags, model, provider, upstream_model,
      attempt, outcome, estimated, input_tokens, output_tokens, usage, nano, price,
      call_id, run_id, root_run_id, caller_id, trace_id, corrects)
    select hold_id, coalesce(at, clock_now()), day, key_id, accounts, key, team, "user", agent, principal, tags, model, provider, upstream_model,
      attempt, outcome, estimated, input_tokens, output_tokens, usage, nano, price,
      call_id, run_id, root_run_id, caller_id, trace_id, corrects
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as l (hold_id uuid, at timestamptz, day date, key_id uuid, accounts uuid[], key text,
      team text, "user" text, agent text, principal text, tags text[], model text, provider text, upstream_model text, attempt integer,
      outcome text, estimated boolean, input_tokens bigint, output_tokens bigint, usage jsonb, nano bigint, price text, call_id uuid,
        run_id uuid, root_run_id uuid, caller_id uuid, trace_id text, corrects uuid)`;
}

// Seconds. The longest wait for a connection is shorter than the pause.
const lease = sql`interval '60 seconds'`;
const pause = sql`interval '20 seconds'`;

/** Notes that this process is alive. */
export async function seeProcess(db: Database, id: string): Promise<void> {
  await db.run(sql`
    insert into gateway_process (id, since, seen_at) values (${id}, clock_now(), clock_now())
    on conflict (id) do update set seen_at = excluded.seen_at,
      since = case when gateway_process.seen_at < excluded.seen_at - ${pause} then excluded.since else gateway_process.since end`);
}

/** All its holds are settled. Processes that died long ago go with it. */
export async function forgetProcess(db: Database, id: string): Promise<void> {
  await db.run(sql`delete from gateway_process where id = ${id} or seen_at < clock_now() - interval '1 day'`);
}

/**
 * The holds of processes that have died, and of those that have lost them. After an outage of the database nobody has been seen. So a
 * process judges others only after it has been seen itself for as long, and each living one has had that time.
 */
export const overdueHolds = async (db: Reader, { process, limit }: { process: string; limit: number }) =>
  await db.all<{ id: string; accounts: string[] }>(sql`
    select id, accounts from hold
    where deadline < clock_now() or process in (
      select other.id from gateway_process other, gateway_process own
      where other.seen_at < clock_now() - ${lease} and own.id = ${process} and own.since < clock_now() - ${lease}
        and own.seen_at > clock_now() - ${pause})
    order by deadline limit ${limit}`);

/** The agents that have an account. */
export async function payingAgents(db: Reader): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    sql`select a.id from asset a join account using (id) where a.kind = 'agent'`,
  );
  return rows.map(({ id }) => id);
}

/** Accounts that exist stay as they are. */
export async function openAccounts(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    insert into account (id, day) select id, (clock_now() at time zone 'UTC')::date from unnest(${ids}::uuid[]) as id order by id
    on conflict (id) do nothing`);
}

export interface AccountNow {
  account: Account;
  limits: Limits;
}

/** In the order of the ids, without locks, in the windows of the present day in UTC. An account without calls has spent nothing. */
export async function accountsNow(
  db: Reader,
  ids: readonly string[],
): Promise<{ now: string; accounts: AccountNow[] }> {
  const [now, rows, limited] = await Promise.all([
    clock(db),
    db.all<Account>(sql`select ${accountColumns} from account where id = any(${ids})`),
    budgets(db, ids),
  ]);
  const day = now.slice(0, 10);
  const accounts = ids.map((id) => {
    const account = rows.find((row) => row.id === id) ?? newAccount(id, day);
    startWindows(account, day);
    return { account, limits: limited.find((budget) => budget.id === id)?.limits ?? noLimits };
  });
  return { now, accounts };
}

export async function pauseAccounts(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(sql`update account set paused_at = clock_now() where id = any(${ids})`);
}

/** False for an account that is not paused. */
export async function resumeAccount(tx: Tx, id: string): Promise<boolean> {
  return (await tx.run(sql`update account set paused_at = null where id = ${id} and paused_at is not null`)) > 0;
}

export async function copySpending(tx: Tx, { from, to }: { from: string; to: string }): Promise<void> {
  await tx.run(sql`
    update account n set day = o.day, day_spent = o.day_spent + o.day_held, week_spent = o.week_spent + o.week_held,
      month_spent = o.month_spent + o.month_held, paused_at = o.paused_at
    from account o where n.id = ${to} and o.id = ${from}`);
  await tx.run(
    sql`insert into rate (id, second, requests, tokens) select ${to}, second, requests, tokens from rate where id = ${from}`,
  );
}

export async function writeBudget(tx: GovernedTx, { id, limits, ...rates }: Budget): Promise<void> {
  const { requests_per_minute, tokens_per_minute } = rates;
  await tx.write(
    'budget',
    sql`insert into budget (id, day_nano, week_nano, month_nano, requests_per_minute, tokens_per_minute)
      values (${id}, ${limits.day}, ${limits.week}, ${limits.month}, ${requests_per_minute}, ${tokens_per_minute})
      on conflict (id) do update set day_nano = excluded.day_nano, week_nano = excluded.week_nano, month_nano = excluded.month_nano,
        requests_per_minute = excluded.requests_per_minute, tokens_per_minute = excluded.tokens_per_minute
      returning id`,
  );
}

export async function spentByRun(db: Reader, root_run_id: string): Promise<number> {
  const row = await db.one<{ nano: number }>(
    sql`select coalesce(sum(nano), 0)::bigint as nano from ledger where root_run_id = ${root_run_id}`,
  );
  return row?.nano ?? 0;
}

export interface UsedByRun {
  input_tokens: number;
  output_tokens: number;
  /** Each count is one of the provider. Null: the run has called no model. */
  is_exact: boolean | null;
  /** A call of it is not settled. */
  is_open: boolean;
}

export const usedByRun = async (db: Reader, root_run_id: string) =>
  await db.one<UsedByRun>(sql`
    select coalesce(sum(input_tokens), 0)::bigint as input_tokens, coalesce(sum(output_tokens), 0)::bigint as output_tokens,
      bool_and(not estimated) as is_exact, exists (
      select from hold where call ->> 'root_run_id' = ${root_run_id}::text and call ->> 'provider' <> ${tool_provider}) as is_open
    from ledger where root_run_id = ${root_run_id}::uuid and provider <> ${tool_provider}`);

export interface SpentByStep {
  run_id: string;
  nano: number;
  input_tokens: number;
  output_tokens: number;
}

/** By the runs of the members. */
export const spentBySteps = async (db: Reader, root_run_id: string) =>
  await db.all<SpentByStep>(sql`
    select run_id, sum(nano)::bigint as nano, sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens
    from ledger where root_run_id = ${root_run_id} and run_id is not null group by run_id`);
