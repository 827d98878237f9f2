// What an account has spent in the windows of this day, as text.
import { formatUsd } from '@gantry/contract/money.ts';
import type { Reader } from '../database/database.ts';
import type { Account } from './account.ts';
import * as store from './store.ts';
import { endOf, windows } from './windows.ts';

interface Spending {
  spent: Record<'daily_usd' | 'weekly_usd' | 'monthly_usd', string>;
  held: Record<'daily_usd' | 'weekly_usd' | 'monthly_usd', string>;
  /** When a limit is spent: the end of the last such window; null for a limit of zero, which never admits a call. */
  next_call_at: string | null;
}

export async function spendingOf(db: Reader, id: string): Promise<Spending> {
  const { accounts } = await store.accountsNow(db, [id]);
  const [{ account, limits }] = accounts as [store.AccountNow]; // one id
  const limited = windows.map((window) => ({ window, limit: limits[window] ?? Infinity }));
  const spent = limited.filter(({ window, limit }) => account.spent[window] >= limit);
  return {
    spent: printed(account.spent),
    held: printed(account.held),
    next_call_at: spent.some(({ limit }) => limit === 0)
      ? null
      : last(spent.map(({ window }) => endOf(window, account.day))),
  };
}

const printed = ({ day, week, month }: Account['spent']) => ({
  daily_usd: formatUsd(day),
  weekly_usd: formatUsd(week),
  monthly_usd: formatUsd(month),
});

const last = (times: readonly string[]) => times.toSorted().at(-1) ?? null;
