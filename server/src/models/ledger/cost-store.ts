// What calls have cost. The ledger's rows are the only source.
import type { CostDimension, CostReport } from '@gantry/contract/models/costs.ts';
import { formatUsd } from '@gantry/contract/formats/money.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { isOpenEstimate } from './estimate-store.ts';
import { tool_provider } from './store.ts';

export interface CostFilter {
  by: readonly CostDimension[];
  since: string;
  until: string;
  agent?: string | undefined;
  team?: string | undefined;
  model?: string | undefined;
  /** Only calls whose cost is an estimate. */
  estimated?: boolean | undefined;
  tag?: string | undefined;
  /** With the runs that it has called. */
  run?: string | undefined;
  /** The accounts whose calls the caller may see; undefined for all. */
  accounts?: readonly string[];
  /** Beside the accounts: the caller's own calls. */
  user?: string;
}

interface Row {
  of: CostReport['rows'][number]['of'];
  nano: number;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  estimated_calls: number;
  estimated_nano: number;
}

const max_rows = 10_000;
const expressions: Readonly<Record<CostDimension, Sql>> = {
  agent: sql`l.agent`,
  team: sql`l.team`,
  model: sql`case when l.provider <> ${tool_provider} then l.model end`,
  tool: sql`case when l.provider = ${tool_provider} then l.model || '/' || l.upstream_model end`,
  user: sql`l."user"`,
  principal: sql`l.principal`,
  key: sql`l.key`,
  tag: sql`t.tag`,
  run: sql`l.run_id::text`,
  day: sql`l.day::text`,
};

/** The dearest first; with the day, the newest first. A call with several tags is in the row of each, and once in the sum. */
export async function costReport(db: Reader, filter: CostFilter): Promise<Omit<CostReport, 'whole'>> {
  const { by, since, until } = filter;
  const pairs = by.map((name) => sql`${name}::text, ${expressions[name]}`);
  const of = pairs.reduce((all, one) => sql`${all}, ${one}`);
  const sums = sql`least(coalesce(sum(l.nano), 0), ${Number.MAX_SAFE_INTEGER})::bigint as nano,
    count(*) filter (where not l.is_correction)::int as calls, coalesce(sum(l.input_tokens), 0)::bigint as input_tokens,
    coalesce(sum(l.output_tokens), 0)::bigint as output_tokens, count(*) filter (where l.estimated)::int as estimated_calls,
    least(coalesce(sum(l.nano) filter (where l.estimated), 0), ${Number.MAX_SAFE_INTEGER})::bigint as estimated_nano`;
  const counted = sql`l.day, l.nano, l.input_tokens, l.output_tokens, l.corrects is not null as is_correction, ${isOpenEstimate} as estimated`;
  const tags = by.includes('tag') ? sql`left join lateral unnest(l.tags) as t (tag) on true` : sql``;
  const newestFirst = by.includes('day') ? sql`min(l.day) desc,` : sql``;
  const [rows, total] = await Promise.all([
    db.all<Row>(sql`
      select l.of, ${sums} from (
        select jsonb_build_object(${of}) as of, ${counted} from ledger l ${tags}
        where ${where(filter)}) l
      group by l.of order by ${newestFirst} nano desc, l.of limit ${max_rows}`),
    db.one<Row>(sql`select ${sums} from (select ${counted} from ledger l where ${where(filter)}) l`),
  ]);
  return {
    since,
    until,
    by: [...by],
    usd: formatUsd(total?.nano ?? 0),
    calls: total?.calls ?? 0,
    estimated_usd: formatUsd(total?.estimated_nano ?? 0),
    rows: rows.map(({ nano, estimated_nano, ...row }) => ({
      ...row,
      usd: formatUsd(nano),
      estimated_usd: formatUsd(estimated_nano),
    })),
  };
}

/** What an account has paid for. */
interface Paid {
  account_id: string;
  nano: number;
  /** The first call. */
  first_at: string;
}

/** Without the accounts that have paid for no call since then. */
export const paidSince = async (db: Reader, account_ids: readonly string[], since: string) =>
  await db.all<Paid>(sql`
    select a.id as account_id, sum(l.nano)::bigint as nano, min(l.at) as first_at
    from unnest(${account_ids}::uuid[]) as a (id) join ledger l on a.id = any(l.accounts)
    where l.day >= (${since}::timestamptz at time zone 'UTC')::date - 1 and l.at >= ${since}
    group by a.id`);

/** What an account has paid in the steps with calls. */
export const paidByStep = async (
  db: Reader,
  { agent_id, since, step_seconds }: { agent_id: string; since: string; step_seconds: number },
) =>
  await db.all<{ step: number; nano: number }>(sql`
    select floor(extract(epoch from at - ${since}::timestamptz) / ${step_seconds}::integer)::integer as step, sum(nano)::bigint as nano
    from ledger l
    where ${agent_id}::uuid = any(l.accounts) and l.day >= (${since}::timestamptz at time zone 'UTC')::date - 1 and l.at >= ${since}
    group by 1`);

// `day` has an index; `at` has none.
function where({ since, until, agent, team, model, estimated = false, tag, run, accounts, user }: CostFilter): Sql {
  const conditions = [
    sql`l.day between (${since}::timestamptz at time zone 'UTC')::date - 1 and (${until}::timestamptz at time zone 'UTC')::date`,
    sql`l.at >= ${since} and l.at < ${until}`,
    ...(agent === undefined ? [] : [sql`l.agent = ${agent}`]),
    ...(team === undefined ? [] : [sql`l.team = ${team}`]),
    ...(model === undefined ? [] : [sql`l.model = ${model}`]),
    ...(estimated ? [isOpenEstimate] : []),
    ...(tag === undefined ? [] : [sql`${tag} = any(l.tags)`]),
    ...(run === undefined ? [] : [sql`(l.run_id = ${run} or l.root_run_id = ${run})`]),
    ...(accounts === undefined ? [] : [sql`(l.accounts && ${accounts}::uuid[] or l."user" = ${user ?? null})`]),
  ];
  return conditions.reduce((all, one) => sql`${all} and ${one}`);
}
