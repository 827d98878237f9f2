// What an agent costs, for callers with `write` on it. Its calls are paid by the agent, its team and the organisation.
import type { AgentCost, Cap, CostForecast } from '@gantry/contract/costs.ts';
import { formatUsd, percentOf } from '@gantry/contract/money.ts';
import type { SignedInCaller } from '../access/caller.ts';
import { decide } from '../access/decide.ts';
import type { AssetSubject } from '../access/subject.ts';
import type { Reader } from '../database/database.ts';
import { installationId } from '../principals/find.ts';
import { paidSince } from './cost-store.ts';
import { forecast, tightest, usedLimits, type UsedLimit } from './forecast.ts';
import { accountsNow } from './store.ts';

const max_days = 7;
const day_ms = 86_400_000;

/** Null for other callers. */
export async function agentCost(db: Reader, user: SignedInCaller, agent: AssetSubject): Promise<AgentCost | null> {
  if (!decide(user, 'asset.write', agent).allowed) return null;
  const { accounts } = await loadPayers(db, agent);
  const spent = accounts[0]?.account.spent ?? { day: 0, month: 0 };
  const limit = tightest(accounts.flatMap(({ of, limits, account }) => usedLimits(of, limits, account.spent)));
  return { today_usd: formatUsd(spent.day), month_usd: formatUsd(spent.month), cap: limit ? toCap(limit) : null };
}

/** Null for other callers. */
export async function costForecast(
  db: Reader,
  user: SignedInCaller,
  agent: AssetSubject,
): Promise<CostForecast | null> {
  if (!decide(user, 'asset.write', agent).allowed) return null;
  const { now, accounts } = await loadPayers(db, agent);
  const since = new Date(Date.parse(now) - max_days * day_ms).toISOString();
  const ids = accounts.map(({ account }) => account.id);
  const sums = await paidSince(db, ids, since);
  const rateOf = (id: string) => {
    const paid = sums.find(({ account_id }) => account_id === id);
    if (paid === undefined) return { days: max_days, per_day: undefined };
    const days = Math.max(1, Math.ceil((Date.parse(now) - Date.parse(paid.first_at)) / day_ms));
    return { days, per_day: Math.floor(paid.nano / days) };
  };
  const next = forecast(
    accounts.flatMap(({ of, limits, account }) => {
      const { per_day = 0 } = rateOf(account.id);
      return usedLimits(of, limits, account.spent).map((limit) => ({ ...limit, per_day }));
    }),
    now,
  );
  const { days, per_day } = rateOf(agent.id);
  return {
    per_day_usd: per_day === undefined ? null : formatUsd(per_day),
    days,
    cap: next ? toCap(next.limit) : null,
    cap_ends_at: next?.ends_at ?? null,
  };
}

/** The agent's own account first. */
async function loadPayers(db: Reader, { id, ref, team }: AssetSubject) {
  const payers = [
    { id, of: ref },
    { id: team.id, of: `team:${team.name}` },
    { id: await installationId(db), of: 'org' },
  ];
  const { now, accounts } = await accountsNow(
    db,
    payers.map((payer) => payer.id),
  );
  return { now, accounts: accounts.map((each, n) => ({ ...each, of: payers[n]?.of ?? '' })) };
}

function toCap({ of, window, limit, spent }: UsedLimit): Cap {
  return {
    of,
    window,
    limit_usd: formatUsd(limit),
    spent_usd: formatUsd(spent),
    percent: percentOf(spent, limit),
  };
}
