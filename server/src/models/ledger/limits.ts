// The limits of an account, on the wire: money as decimal text.
import type { Limits as WireLimits } from '@gantry/contract/models/keys.ts';
import { formatUsd, parseUsd } from '@gantry/contract/formats/money.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import * as store from './store.ts';

export const noLimits: WireLimits = {
  daily_usd: null,
  weekly_usd: null,
  monthly_usd: null,
  requests_per_minute: null,
  tokens_per_minute: null,
};

/** In the order of the ids. */
export async function limitsOf(db: Reader, ids: readonly string[]): Promise<WireLimits[]> {
  const rows = new Map((await store.budgets(db, ids)).map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = rows.get(id);
    if (row === undefined) return noLimits;
    return toWire(row);
  });
}

/** Limits of money, and not only of requests or tokens. */
export function isBudget(limits: WireLimits | null | undefined): boolean {
  return [limits?.daily_usd, limits?.weekly_usd, limits?.monthly_usd].some((amount) => typeof amount === 'string');
}

/** True also for an account whose limits were all removed. */
export async function hasLimits(db: Reader, id: string): Promise<boolean> {
  return (await store.budgets(db, [id])).length > 0;
}

/** Changes some limits, also to less than what is spent. Returns the limits before and after. */
export async function changeLimits(
  tx: GovernedTx,
  id: string,
  given: Partial<WireLimits>,
): Promise<{ before: WireLimits; after: WireLimits }> {
  await store.openAccounts(tx, [id]);
  await store.lockAccounts(tx, [id]);
  const [before = noLimits] = await limitsOf(tx, [id]);
  const after = { ...before, ...given };
  await setLimits(tx, id, after);
  return { before, after };
}

/** Waits for the calls that the account admits at this moment: no later one is admitted under other limits. */
export async function setLimits(tx: GovernedTx, id: string, limits: WireLimits): Promise<void> {
  await store.lockAccounts(tx, [id]);
  await store.writeBudget(tx, { id, ...fromWire(limits) });
}

/** The same limits, with amounts as they are always printed. */
export const exactLimits = (limits: WireLimits): WireLimits => toWire(fromWire(limits));

type StoredLimits = Omit<store.Budget, 'id'>;

function toWire({ limits, requests_per_minute, tokens_per_minute }: StoredLimits): WireLimits {
  return {
    daily_usd: printed(limits.day),
    weekly_usd: printed(limits.week),
    monthly_usd: printed(limits.month),
    requests_per_minute,
    tokens_per_minute,
  };
}

function fromWire({ daily_usd, weekly_usd, monthly_usd, ...rates }: WireLimits): StoredLimits {
  return { limits: { day: parsed(daily_usd), week: parsed(weekly_usd), month: parsed(monthly_usd) }, ...rates };
}

/** A new account starts with the spending of another; calls under way count as spent. Both are locked. */
export const moveSpending = store.copySpending;

const printed = (nano: number | null) => (nano === null ? null : formatUsd(nano));
const parsed = (text: string | null) => (text === null ? null : parseUsd(text));
