// The rows of the ledger whose cost no provider has said, and that nobody has corrected.
import type { Reader } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import type { LedgerRow } from './store.ts';

export interface EstimateFilter {
  since: string;
  until: string;
  agent?: string | undefined;
  team?: string | undefined;
  model?: string | undefined;
}

export interface Estimate extends LedgerRow {
  /** In ISO 8601. */
  at: string;
}

export const max_corrected = 10_000;

/** A condition on `ledger l`. */
export const isOpenEstimate: Sql = sql`(l.estimated and not exists (select 1 from ledger c where c.corrects = l.hold_id))`;

/** The oldest first, and one more than a correction may have. */
export async function estimatesOf(
  db: Reader,
  { since, until, agent, team, model }: EstimateFilter,
): Promise<Estimate[]> {
  const named = [
    ...(agent === undefined ? [] : [sql`and l.agent = ${agent}`]),
    ...(team === undefined ? [] : [sql`and l.team = ${team}`]),
    ...(model === undefined ? [] : [sql`and l.model = ${model}`]),
  ].reduce((all, one) => sql`${all} ${one}`, sql``);
  return await db.all<Estimate>(sql`
    select hold_id, at, day::text as day, key_id, accounts, key, team, "user", agent, principal, tags, model, provider, upstream_model,
      attempt, outcome, estimated, input_tokens, output_tokens, usage, nano, price, call_id, run_id, root_run_id, caller_id, trace_id
    from ledger l
    where l.day between (${since}::timestamptz at time zone 'UTC')::date - 1 and (${until}::timestamptz at time zone 'UTC')::date
      and l.at >= ${since} and l.at < ${until} and ${isOpenEstimate} ${named}
    order by l.at, l.hold_id limit ${max_corrected + 1}`);
}
