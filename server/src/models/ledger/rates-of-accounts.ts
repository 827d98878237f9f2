// The average spending of accounts in the last days.
import type { Reader } from '../../ground/database/database.ts';
import { paidSince } from './cost-store.ts';

const max_days = 7;
const day_ms = 86_400_000;

interface SpendingRate {
  /** Since the first call in these days. */
  days: number;
  /** In nano-USD; undefined without calls. */
  per_day: number | undefined;
}

export async function loadRates(
  db: Reader,
  ids: readonly string[],
  now: string,
): Promise<(id: string) => SpendingRate> {
  const since = new Date(Date.parse(now) - max_days * day_ms).toISOString();
  const sums = await paidSince(db, ids, since);
  return (id) => {
    const paid = sums.find(({ account_id }) => account_id === id);
    if (paid === undefined) return { days: max_days, per_day: undefined };
    const days = Math.max(1, Math.ceil((Date.parse(now) - Date.parse(paid.first_at)) / day_ms));
    return { days, per_day: Math.floor(paid.nano / days) };
  };
}
