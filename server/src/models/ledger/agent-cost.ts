// What an agent costs, for callers who read its costs (policy.ts). Its calls are paid by the agent, its team and the organisation.
import type { AgentCost, CostForecast } from '@gantry/contract/models/costs.ts';
import { formatUsd } from '@gantry/contract/formats/money.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { AssetSubject } from '../../governance/access/subject.ts';
import type { Reader } from '../../ground/database/database.ts';
import { paidByStep } from './cost-store.ts';
import { installationId } from '../../people/principals/find.ts';
import { readsCostsOf } from './policy.ts';
import { forecast, tightest, toCap, usedLimits } from './forecast.ts';
import { loadRates } from './rates-of-accounts.ts';
import { accountsNow } from './store.ts';

/** Null for other callers. */
export async function agentCost(db: Reader, user: SignedInCaller, agent: AssetSubject): Promise<AgentCost | null> {
  return (await agentCosts(db, user, [agent])).get(agent.id) ?? null;
}

/** The cost of each of `count` steps, in their order. Null for callers who may not read it. */
export async function agentCostByStep(
  db: Reader,
  user: SignedInCaller,
  agent: AssetSubject,
  { since, step_seconds, count }: { since: string; step_seconds: number; count: number },
): Promise<string[] | null> {
  if (!readsCostsOf(user, agent)) return null;
  const paid = await paidByStep(db, { agent_id: agent.id, since, step_seconds });
  return Array.from({ length: count }, (_, n) => formatUsd(paid.find(({ step }) => step === n)?.nano ?? 0));
}

/** By id, only of those whose costs the caller may read. */
export async function agentCosts(
  db: Reader,
  user: SignedInCaller,
  agents: readonly AssetSubject[],
): Promise<Map<string, AgentCost>> {
  const readable = agents.filter((agent) => readsCostsOf(user, agent));
  if (readable.length === 0) return new Map();
  const { payersOf } = await loadPayers(db, readable);
  return new Map(
    readable.map((agent) => {
      const payers = payersOf(agent);
      const spent = payers[0]?.account.spent ?? { day: 0, month: 0 };
      const limit = tightest(payers.flatMap(({ of, limits, account }) => usedLimits(of, limits, account.spent)));
      return [
        agent.id,
        { today_usd: formatUsd(spent.day), month_usd: formatUsd(spent.month), cap: limit ? toCap(limit) : null },
      ];
    }),
  );
}

/** Null for other callers. */
export async function costForecast(
  db: Reader,
  user: SignedInCaller,
  agent: AssetSubject,
): Promise<CostForecast | null> {
  if (!readsCostsOf(user, agent)) return null;
  const { now, payersOf } = await loadPayers(db, [agent]);
  const accounts = payersOf(agent);
  const rateOf = await loadRates(
    db,
    accounts.map(({ account }) => account.id),
    now,
  );
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

/** The accounts that pay for each agent, its own first. */
async function loadPayers(db: Reader, agents: readonly AssetSubject[]) {
  const org_id = await installationId(db);
  const ids = [...new Set([...agents.flatMap(({ id, team }) => [id, team.id]), org_id])];
  const { now, accounts } = await accountsNow(db, ids);
  const found = new Map(accounts.map((each) => [each.account.id, each]));
  const payersOf = ({ id, ref, team }: AssetSubject) =>
    [
      { id, of: ref },
      { id: team.id, of: `team:${team.name}` },
      { id: org_id, of: 'org' },
    ].flatMap((payer) => {
      const account = found.get(payer.id);
      return account === undefined ? [] : [{ ...account, of: payer.of }];
    });
  return { now, payersOf };
}
