// What an account has spent in the windows of this day, as text.
import { formatUsd } from '@gantry/contract/money.ts';
import type { Reader } from '../database/database.ts';
import { startWindows, type Account } from './account.ts';
import * as store from './store.ts';
import { endOf, windows } from './windows.ts';

interface Spending {
  spent: Record<'daily_usd' | 'weekly_usd' | 'monthly_usd', string>;
  held: Record<'daily_usd' | 'weekly_usd' | 'monthly_usd', string>;
  /** When a limit is spent: the end of the last such window; null for a limit of zero, which never admits a call. */
  next_call_at: string | null;
}

export async function spendingOf(db: Reader, id: string): Promise<Spending> {
  const { day, account, limits } = await store.accountNow(db, id);
  const now = account ?? newAccount(id, day);
  startWindows(now, day);
  const limited = windows.map((window) => ({ window, limit: limits?.[window] ?? Infinity }));
  const spent = limited.filter(({ window, limit }) => now.spent[window] >= limit);
  return {
    spent: printed(now.spent),
    held: printed(now.held),
    next_call_at: spent.some(({ limit }) => limit === 0)
      ? null
      : last(spent.map(({ window }) => endOf(window, now.day))),
  };
}

function newAccount(id: string, day: string): Account {
  const nothing = () => ({ day: 0, week: 0, month: 0 });
  return { id, day, spent: nothing(), held: nothing() };
}

const printed = ({ day, week, month }: Account['spent']) => ({
  daily_usd: formatUsd(day),
  weekly_usd: formatUsd(week),
  monthly_usd: formatUsd(month),
});

const last = (times: readonly string[]) => times.toSorted().at(-1) ?? null;
