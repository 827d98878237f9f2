// What an account has spent in the windows of this day, as text.
import { setTimeout as sleep } from 'node:timers/promises';
import { formatUsd } from '@gantry/contract/formats/money.ts';
import type { Reader } from '../../ground/database/database.ts';
import type { Account } from './account.ts';
import { forecast, usedLimits } from './forecast.ts';
import { loadRates } from './rates-of-accounts.ts';
import * as store from './store.ts';
import { endOf, windows, type Window } from './windows.ts';

interface Spending {
  spent: Record<'daily_usd' | 'weekly_usd' | 'monthly_usd', string>;
  held: Record<'daily_usd' | 'weekly_usd' | 'monthly_usd', string>;
  /** When a limit is spent: the end of the last such window; null for a limit of zero, which never admits a call. */
  next_call_at: string | null;
  per_day_usd: string | null;
  /** When the first limit is spent, at this rate. */
  ends_at: string | null;
  ends: Window | null;
}

/** What the calls of a run have cost so far, in nano USD. A call counts soon after its end. */
export const { spentByRun, spentBySteps } = store;

const first_pause_ms = 20;
const most_looks = 5;

/**
 * The tokens of all calls of an ended run, also of those of its subagents. Undefined when the run has called no model, when a provider has not
 * counted, and when a call is not settled soon.
 */
export async function usedByRun(
  db: Reader,
  root_run_id: string,
): Promise<Pick<store.UsedByRun, 'input_tokens' | 'output_tokens'> | undefined> {
  for (let looks = 1; ; looks++) {
    const used = await store.usedByRun(db, root_run_id);
    if (used?.is_open !== true) return used?.is_exact === true ? used : undefined;
    if (looks === most_looks) return undefined;
    await sleep(first_pause_ms * 2 ** looks);
  }
}

export async function spendingOf(db: Reader, id: string): Promise<Spending> {
  const { now, accounts } = await store.accountsNow(db, [id]);
  const [{ account, limits }] = accounts as [store.AccountNow]; // one id
  const { per_day } = (await loadRates(db, [id], now))(id);
  const used = usedLimits(id, limits, account.spent).map((limit) => ({ ...limit, per_day: per_day ?? 0 }));
  const next = forecast(used, now);
  const limited = windows.map((window) => ({ window, limit: limits[window] ?? Infinity }));
  const spent = limited.filter(({ window, limit }) => account.spent[window] >= limit);
  return {
    spent: printed(account.spent),
    held: printed(account.held),
    next_call_at: spent.some(({ limit }) => limit === 0)
      ? null
      : last(spent.map(({ window }) => endOf(window, account.day))),
    per_day_usd: per_day === undefined ? null : formatUsd(per_day),
    ends_at: next?.ends_at ?? null,
    ends: next === undefined || next.ends_at === null ? null : next.limit.window,
  };
}

const printed = ({ day, week, month }: Account['spent']) => ({
  daily_usd: formatUsd(day),
  weekly_usd: formatUsd(week),
  monthly_usd: formatUsd(month),
});

const last = (times: readonly string[]) => times.toSorted().at(-1) ?? null;
