// The cost of an agent in words, and the budget that ends its calls first.
import type { AgentCost, Cap, CostForecast } from '@gantry/contract/models/costs.ts';

/** Undefined for a caller who may not see it. */
export function describeCost(cost: AgentCost | null): string | undefined {
  if (cost === null) return undefined;
  const { today_usd, month_usd, cap } = cost;
  return [`$${today_usd} today`, `$${month_usd} this month`, describeCap(cap)].join(' · ');
}

export function describeCap(cap: Cap | null): string {
  return cap === null ? 'no budget' : `${cap.percent} % of ${cap.of}'s ${cap.window} ($${cap.limit_usd})`;
}

/** Undefined for a caller who may not see it. */
export function describeForecast(forecast: CostForecast | null): string | undefined {
  if (forecast === null) return undefined;
  const { per_day_usd, days, cap, cap_ends_at } = forecast;
  const cost =
    per_day_usd === null
      ? 'no calls in the last 7 days'
      : `$${per_day_usd} a day over the last ${days === 1 ? 'day' : `${days} days`}`;
  if (cap === null) return `${cost}; no budget limits it`;
  const budget = `the ${cap.window}'s $${cap.limit_usd} of ${cap.of}`;
  if (cap.percent >= 100) return `${cost}; ${budget} is spent`;
  const end = cap_ends_at === null ? `lasts to the end of the ${cap.window}` : `ends ${moment(cap_ends_at, cap)}`;
  return `${cost}; at this rate ${budget} ${end}`;
}

/** In UTC, as the windows are. */
function moment(iso: string, { window }: Cap): string {
  if (window === 'day') return `at ${iso.slice(11, 16)} UTC`;
  return `on ${new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(iso))}`;
}
