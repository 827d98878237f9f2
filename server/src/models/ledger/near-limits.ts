import type { NearLimit } from '@gantry/contract/telling/home.ts';
import type { Reader } from '../../ground/database/database.ts';
import { forecast, toCap, usedLimits } from './forecast.ts';
import { loadRates } from './rates-of-accounts.ts';
import { accountsNow } from './store.ts';

/** For each account, its most used limit, if at least `percent` is used. The most used first. */
export async function nearLimits(
  db: Reader,
  accounts: readonly { id: string; of: string }[],
  { percent, limit }: { percent: number; limit: number },
): Promise<NearLimit[]> {
  if (accounts.length === 0) return [];
  const ids = accounts.map(({ id }) => id);
  const { now, accounts: counters } = await accountsNow(db, ids);
  const near = counters
    .flatMap(({ account, limits }, index) => {
      const used = usedLimits(accounts[index]?.of ?? '', limits, account.spent).filter((one) => one.limit > 0);
      const [most] = used.toSorted((one, other) => partOf(other) - partOf(one));
      return most === undefined || partOf(most) * 100 < percent ? [] : [{ id: account.id, ...most }];
    })
    .toSorted((one, other) => partOf(other) - partOf(one))
    .slice(0, limit);
  const rateOf = await loadRates(
    db,
    near.map(({ id }) => id),
    now,
  );
  return near.map((one) => ({
    ...toCap(one),
    ends_at: forecast([{ ...one, per_day: rateOf(one.id).per_day ?? 0 }], now)?.ends_at ?? null,
  }));
}

const partOf = ({ spent, limit }: { spent: number; limit: number }): number => spent / limit;
