// Which limits have reached a threshold, and what was told about them. Both are rows, so every process decides the same.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Window } from '../../models/ledger/windows.ts';

/** A limit in its present window. */
export interface ReachedLimit {
  account_id: string;
  window: Window;
  /** The first day of the window. */
  start: string;
  limit_nano: number;
  spent_nano: number;
  /** The highest threshold that the spending has reached; 0 for none. */
  percent: number;
}

/**
 * The limits whose row does not say so yet. A limit of zero has no thresholds. The last alert comes at 99 %: the rest of a limit often pays for
 * no call, so calls end before 100 %.
 */
export const reachedLimits = async (db: Reader, limit: number) =>
  await db.all<ReachedLimit>(sql`
    with today as (select (clock_now() at time zone 'UTC')::date as day),
    -- Most accounts are below every threshold. The short condition leaves them out before the windows are compared.
    near as materialized (
      select a.*, b.day_nano, b.week_nano, b.month_nano from budget b join account a using (id)
      where a.day_spent * 2 >= b.day_nano or a.week_spent * 2 >= b.week_nano or a.month_spent * 2 >= b.month_nano
        or exists (select from budget_alert t where t.account_id = b.id)),
    used as (
      select near.id as account_id, w."window", w.start, w.limit_nano, w.spent_nano,
        case when w.spent_nano * 100 >= w.limit_nano * 99 then 100 when w.spent_nano * 100 >= w.limit_nano * 80 then 80
          when w.spent_nano * 100 >= w.limit_nano * 50 then 50 else 0 end as percent
      from today, near, lateral (values
        ('day', today.day, near.day_nano, near.day_spent),
        ('week', date_trunc('week', today.day)::date, near.week_nano, near.week_spent),
        ('month', date_trunc('month', today.day)::date, near.month_nano, near.month_spent)) as w ("window", start, limit_nano, spent_nano)
      where w.limit_nano > 0 and near.day >= w.start)
    select used.account_id, used."window", used.start::text as start, used.limit_nano, used.spent_nano, used.percent
    from used left join budget_alert t on t.account_id = used.account_id and t."window" = used."window" and t.start = used.start
    where used.percent > coalesce(t.percent, 0) or used.limit_nano <> t.limit_nano
    order by used.account_id limit ${limit}`);

/** True for a threshold that nobody was told of. Under a changed limit, the thresholds above the present spending count again. */
export async function recordReached(
  tx: Tx,
  { account_id, window, start, limit_nano, percent }: ReachedLimit,
): Promise<boolean> {
  const told = await tx.one<{ percent: number }>(sql`
    select case when start = ${start}::date then percent else 0 end as percent from budget_alert
    where account_id = ${account_id} and "window" = ${window} for update`);
  const rows = await tx.all(sql`
    insert into budget_alert as t (account_id, "window", start, limit_nano, percent)
    values (${account_id}, ${window}, ${start}, ${limit_nano}, ${percent})
    on conflict (account_id, "window") do update
      set start = excluded.start, limit_nano = excluded.limit_nano, percent = excluded.percent
      where t.start < excluded.start
        or (t.start = excluded.start and (t.limit_nano <> excluded.limit_nano or t.percent < excluded.percent))
    returning account_id`);
  return rows.length > 0 && percent > (told?.percent ?? 0);
}
