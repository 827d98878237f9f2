// The limit that matters next, and when it is spent at the present rate. Pure; amounts in nano-USD.
import type { Cap } from '@gantry/contract/models/costs.ts';
import { formatUsd, percentOf } from '@gantry/contract/formats/money.ts';
import type { Limits } from './account.ts';
import { endOf, windows, type Window } from './windows.ts';

export interface UsedLimit {
  of: string;
  window: Window;
  limit: number;
  spent: number;
}

/** The limits of one account. */
export function usedLimits(of: string, limits: Limits, spent: Record<Window, number>): UsedLimit[] {
  return windows.flatMap((window) => {
    const limit = limits[window];
    return limit === null ? [] : [{ of, window, limit, spent: spent[window] }];
  });
}

/** The one with the least left. */
export function tightest<Limit extends UsedLimit>(limits: readonly Limit[]): Limit | undefined {
  return limits.toSorted((one, other) => left(one) - left(other))[0];
}

/** The limit that is spent first at the rate of its own account, or the tightest one. */
export function forecast<Limit extends UsedLimit & { per_day: number }>(
  limits: readonly Limit[],
  now: string,
): { limit: Limit; ends_at: string | null } | undefined {
  const ending = limits.flatMap((limit) => {
    const ends_at = endAt(limit, now);
    return ends_at === undefined ? [] : [{ limit, ends_at }];
  });
  const [first] = ending.toSorted((one, other) => (one.ends_at < other.ends_at ? -1 : 1));
  if (first !== undefined) return first;
  const limit = tightest(limits);
  return limit && { limit, ends_at: null };
}

export function toCap({ of, window, limit, spent }: UsedLimit): Cap {
  return {
    of,
    window,
    limit_usd: formatUsd(limit),
    spent_usd: formatUsd(spent),
    percent: percentOf(spent, limit),
  };
}

const day_ms = 86_400_000n;

/** Undefined when the window ends first. */
function endAt(limit: UsedLimit & { per_day: number }, now: string): string | undefined {
  if (left(limit) <= 0) return now;
  if (limit.per_day === 0) return undefined;
  const ms = (BigInt(left(limit)) * day_ms) / BigInt(limit.per_day);
  const window_ends = endOf(limit.window, now.slice(0, 10));
  if (ms >= BigInt(Date.parse(window_ends) - Date.parse(now))) return undefined;
  return new Date(Date.parse(now) + Number(ms)).toISOString();
}

const left = ({ limit, spent }: UsedLimit) => limit - spent;
