// The flags for limits, and limits in words.
import type { Limits } from '@gantry/contract/models/keys.ts';
import { text, type Input } from '../command.ts';
import { misuse } from '../refusal.ts';

/** An amount in USD, or `none`. */
function usd(summary: string): Input<string | null | undefined> {
  return {
    ...text(`${summary}, or none`, 'usd'),
    read(given, name) {
      if (given === undefined) return undefined;
      const amount = String(given).replace(/^\$/, '');
      if (amount === 'none') return null;
      if (!/^\d{1,7}(\.\d{1,9})?$/.test(amount)) throw misuse(`${name} must be an amount such as 2.50, or none`);
      return amount;
    },
  };
}

function number(summary: string): Input<number | null | undefined> {
  return {
    ...text(`${summary}, or none`, 'number'),
    read(given, name) {
      if (given === undefined) return undefined;
      if (given === 'none') return null;
      if (!/^\d{1,10}$/.test(String(given))) throw misuse(`${name} must be a whole number, or none`);
      return Number(given);
    },
  };
}

export const limitFlags = {
  daily: usd('The most to spend in a day, in USD'),
  weekly: usd('In a week from Monday, in UTC'),
  monthly: usd('In a calendar month'),
  requestsPerMinute: number('The most calls in any minute'),
  tokensPerMinute: number('The most tokens in any minute'),
};

type Given = { [K in keyof typeof limitFlags]: ReturnType<(typeof limitFlags)[K]['read']> };

/** The named ones; the others stay unchanged. */
export function readLimits({ daily, weekly, monthly, requestsPerMinute, tokensPerMinute }: Given): Partial<Limits> {
  return {
    ...(daily === undefined ? {} : { daily_usd: daily }),
    ...(weekly === undefined ? {} : { weekly_usd: weekly }),
    ...(monthly === undefined ? {} : { monthly_usd: monthly }),
    ...(requestsPerMinute === undefined ? {} : { requests_per_minute: requestsPerMinute }),
    ...(tokensPerMinute === undefined ? {} : { tokens_per_minute: tokensPerMinute }),
  };
}

export function describeLimits(limits: Limits): string {
  const { daily_usd, weekly_usd, monthly_usd, requests_per_minute, tokens_per_minute } = limits;
  const parts = [
    daily_usd === null ? [] : `$${daily_usd} a day`,
    weekly_usd === null ? [] : `$${weekly_usd} a week`,
    monthly_usd === null ? [] : `$${monthly_usd} a month`,
    requests_per_minute === null ? [] : `${requests_per_minute} calls a minute`,
    tokens_per_minute === null ? [] : `${tokens_per_minute} tokens a minute`,
  ].flat();
  return parts.join(', ') || 'none';
}

/** The flags that set these limits again. */
export function limitsAsFlags(limits: Limits, only: Partial<Limits>): string {
  const flags: Record<keyof Limits, string> = {
    daily_usd: '--daily',
    weekly_usd: '--weekly',
    monthly_usd: '--monthly',
    requests_per_minute: '--requests-per-minute',
    tokens_per_minute: '--tokens-per-minute',
  };
  const named = Object.keys(only) as (keyof Limits)[]; // keys of Limits
  return named.map((each) => `${flags[each]} ${limits[each] ?? 'none'}`).join(' ');
}

/** Words that are separated by commas. */
export function list(summary: string, placeholder: string): Input<string[] | undefined> {
  return {
    ...text(summary, placeholder),
    read: (given) =>
      given === undefined
        ? undefined
        : String(given)
            .split(',')
            .map((one) => one.trim())
            .filter((one) => one !== ''),
  };
}
