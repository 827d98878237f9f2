// The ledger's promise: at every moment, spent plus held is within every limit of every account. An amount is held before its call and
// settled once after it. Books are open for one transaction, which has locked the accounts: what it reads after the lock cannot change.
import { Problem } from '@gantry/contract/problems.ts';
import { formatUsd } from '@gantry/contract/formats/money.ts';
import type { Tx } from '../../ground/database/database.ts';
import type { Sql } from '../../ground/database/sql.ts';
import { canHold, headroomOf, hold, settle, startWindows, type Account, type Headroom } from './account.ts';
import { addTo, moveTo, newRate, remainingOf, secondsUntil, type Rate } from './rate.ts';
import * as store from './store.ts';
import type { Budget, CallRecord, Hold, LedgerRow, Used } from './store.ts';
import { endOf } from './windows.ts';

export { tool_provider, type RunOfCall } from './store.ts';

/** The most tokens of one call. The database stores them as an integer. */
export const max_call_tokens = 2 ** 31 - 1;

/** What a call may cost at most. */
export interface Reservation {
  id: string;
  /** The key's own first. All of them pay. */
  accounts: readonly { id: string; label: string }[];
  /** At most, such as the bytes of the request. */
  input_tokens: number;
  /** At most. A limit may leave fewer. */
  output_tokens: number;
  /** With fewer, the call is refused. */
  min_output_tokens: number;
  /** A call that asks for no limit gets this many, or what a share of the tightest limit pays for, so that others can call beside it. */
  usual_output_tokens?: number | undefined;
  /** Expected. Limits per minute count it until the settlement knows better. */
  expected_input_tokens: number;
  /** Undefined for a model without a price. */
  price: PriceOfCall | undefined;
  /** Parts of the request whose cost has no bound. A limit refuses them. */
  unbounded: readonly string[];
  /** Limits per minute are of calls to models. A call of a tool counts in none. */
  isOfTool?: true;
  deadline_seconds: number;
  call: CallRecord;
}

interface PriceOfCall {
  /** The most that this many output tokens can cost together with the input, in nano-USD. */
  boundOf(output_tokens: number): number;
  /** The most output tokens that this amount pays for, together with the input; negative if it does not pay for the input. */
  outputTokensFor(nano: number): number;
}

export interface Reserved {
  nano: number;
  /** The upstream must not produce more. */
  output_tokens: number;
  /** An account has a limit, so the upstream must be told. */
  is_limited: boolean;
  /** After this call; undefined without a limit per minute. */
  rates: Readonly<Record<'requests' | 'tokens', RateLeft | undefined>>;
}

/** What is left of a limit per minute, in the account that has least left. */
interface RateLeft {
  limit: number;
  remaining: number;
  /** Until all of it is left. */
  reset_seconds: number;
}

export interface Settlement extends Used {
  hold_id: string;
  outcome: LedgerRow['outcome'];
  /** In nano-USD; undefined charges the whole hold. */
  nano: number | undefined;
  /** The provider has not said what it was. */
  is_estimate?: boolean;
}

/** A call that cost more than was held for it. */
export interface Breach {
  call: CallRecord;
  /** In nano-USD. */
  held: number;
  cost: number;
}

export interface Books {
  /** After the lock. In ISO 8601. */
  now: string;
  /** Throws the refusal, and then changes nothing. */
  reserve(asked: Reservation): Reserved;
  /** False if it was settled before. */
  settle(settlement: Settlement): boolean;
  /** Their keys admit nothing more in these books, and are to be paused. */
  breaches: readonly Breach[];
  hasChanges(): boolean;
  /** The statement that stores all changes. */
  write(): Sql;
}

/** Sends its statements at once, so others may follow without waiting. */
export async function openBooks(
  tx: Tx,
  {
    account_ids,
    hold_ids,
    process = null,
  }: { account_ids: readonly string[]; hold_ids: readonly string[]; process?: string | null },
): Promise<Books> {
  const [locked, taken, read] = await Promise.all([
    store.lockAccounts(tx, account_ids),
    hold_ids.length === 0 ? [] : store.takeHolds(tx, hold_ids),
    store.deciding(tx, account_ids),
  ]);
  const now = new Date(read.now);
  const accounts = new Map(locked.map((account) => [account.id, account]));
  const budgets = new Map(read.budgets.map((budget) => [budget.id, budget]));
  const rates = new Map(read.rates.map((rate) => [rate.id, rate]));
  const holds = new Map(taken.map((one) => [one.id, one]));
  const today = locked.reduce(
    (day, account) => (account.day > day ? account.day : day),
    now.toISOString().slice(0, 10),
  );
  const second = Math.floor(now.getTime() / 1000);
  const changed = { accounts: new Set<Account>(), rates: new Set<Rate>(), rows: [] as LedgerRow[] };
  const breaches: Breach[] = [];
  const made: (Hold & { deadline: string; process: string | null })[] = [];

  const accountOf = (id: string): Account => {
    const account = accounts.get(id);
    if (account === undefined) throw new Error(`the account ${id} was not locked`);
    return account;
  };

  function reserve(asked: Reservation): Reserved {
    const payers = asked.accounts.map(({ id, label }) => {
      const account = accountOf(id);
      if (account.is_paused)
        throw new Problem('key_paused', {
          detail: `A call of ${label} cost more than was held for it, so the key is paused.`,
          hint: `An admin looks at the prices of its models, and ends the pause: svc key resume ${asked.call.key}`,
        });
      startWindows(account, today);
      const budget = budgets.get(id);
      return { account, label, budget, headroom: budget && headroomOf(account, budget.limits) };
    });
    const tightest = payers
      .flatMap(({ label, headroom }) => (headroom === undefined ? [] : [{ label, headroom }]))
      .toSorted((one, other) => one.headroom.nano - other.headroom.nano)[0];
    const counters = payers.flatMap(({ account, label, budget }) => {
      if (budget === undefined || !isRated(budget) || asked.isOfTool === true) return [];
      const rate = rates.get(account.id) ?? newRate(account.id, second);
      moveTo(rate, second);
      return [{ rate, label, budget }];
    });
    const output_tokens = affordable(asked, tightest, today);
    const tokens = asked.input_tokens + output_tokens;
    if (tokens > max_call_tokens)
      throw new Problem('not_priceable', {
        detail: `This call can use ${tokens} tokens, and a call may use at most ${max_call_tokens}.`,
      });
    const expected = asked.expected_input_tokens + Math.min(output_tokens, asked.usual_output_tokens ?? output_tokens);
    const left = () => ({ requests: leastLeft(counters, 'requests'), tokens: leastLeft(counters, 'tokens') });
    for (const counter of counters) requireRate(counter, expected, left);
    const nano = asked.price?.boundOf(output_tokens) ?? 0;
    const full = payers.find(({ account }) => !canHold(account, nano));
    if (full !== undefined)
      throw new Problem('budget_in_flight', {
        detail: `Calls under way hold as much of ${full.label} as the ledger can count. Ask again when they have ended.`,
        retry_after_seconds: 1,
      });

    for (const { account } of payers) {
      hold(account, nano);
      changed.accounts.add(account);
    }
    for (const { rate } of counters) {
      addTo(rate, 'requests', second, 1);
      addTo(rate, 'tokens', second, expected);
      rates.set(rate.id, rate);
      changed.rates.add(rate);
    }
    made.push({
      id: asked.id,
      accounts: asked.accounts.map(({ id }) => id),
      day: today,
      nano,
      second,
      tokens: expected,
      deadline: new Date(now.getTime() + asked.deadline_seconds * 1000).toISOString(),
      process,
      call: asked.call,
    });
    return {
      nano,
      output_tokens,
      is_limited: tightest !== undefined || counters.length > 0,
      rates: left(),
    };
  }

  function settleOne({ hold_id, outcome, nano: actual, is_estimate = false, ...used }: Settlement): boolean {
    const held = holds.get(hold_id);
    if (held === undefined) return false;
    holds.delete(hold_id);
    const nano = actual ?? held.nano;
    for (const id of held.accounts) {
      const account = accountOf(id);
      settle(account, held, nano);
      changed.accounts.add(account);
      const rate = rates.get(id);
      if (rate === undefined) continue;
      moveTo(rate, second);
      const tokens = actual === undefined || is_estimate ? held.tokens : used.input_tokens + used.output_tokens;
      addTo(rate, 'tokens', held.second, tokens - held.tokens);
      changed.rates.add(rate);
    }
    if (nano > held.nano && held.accounts.includes(held.call.key_id)) {
      accountOf(held.call.key_id).is_paused = true;
      breaches.push({ call: held.call, held: held.nano, cost: nano });
    }
    const estimated = actual === undefined || is_estimate;
    const { day, accounts: paid_by, call } = held;
    changed.rows.push({ ...call, ...used, hold_id, day, accounts: paid_by, outcome, estimated, nano });
    return true;
  }

  return {
    now: now.toISOString(),
    reserve,
    settle: settleOne,
    breaches,
    hasChanges: () => changed.accounts.size > 0,
    write: () =>
      store.write({ accounts: [...changed.accounts], rates: [...changed.rates], holds: made, rows: changed.rows }),
  };
}

function isRated({ requests_per_minute, tokens_per_minute }: Budget): boolean {
  return requests_per_minute !== null || tokens_per_minute !== null;
}

/** A call that asks for no limit leaves the larger part of a budget to the calls beside it. */
const calls_at_once = 4;

interface Tightest {
  label: string;
  headroom: Headroom;
}

/** The output tokens that the tightest limit pays for, at most the asked ones. */
function affordable(asked: Reservation, tightest: Tightest | undefined, today: string): number {
  if (tightest === undefined) return asked.output_tokens;
  if (asked.price === undefined)
    throw new Problem('model_unpriced', {
      detail: `${asked.call.model} has no price, and ${tightest.label} has a budget.`,
    });
  if (asked.unbounded.length > 0)
    throw new Problem('not_priceable', {
      detail: `${tightest.label} has a budget, and the cost of ${asked.unbounded.join(', ')} has no bound.`,
    });
  const least = Math.min(asked.min_output_tokens, asked.output_tokens);
  const { price, usual_output_tokens: usual } = asked;
  const payable = Math.min(asked.output_tokens, price.outputTokensFor(tightest.headroom.nano));
  const share = () => price.outputTokensFor(Math.floor(tightest.headroom.nano / calls_at_once));
  const output_tokens = usual === undefined ? payable : Math.min(payable, Math.max(usual, share()));
  if (output_tokens >= least) return output_tokens;
  const { limit, spent, window } = tightest.headroom;
  const needed = price.boundOf(least);
  // What the code of an agent reads can reach its callers, who may not see what others have spent.
  const figures = (text: string) => (asked.call.agent === null ? text : '');
  const limits = figures(`: $${formatUsd(spent)} of $${formatUsd(limit)} per ${window} is spent`);
  const ends = endOf(window, today);
  if (spent + needed > limit)
    throw new Problem('budget_exceeded', {
      detail: `The budget of ${tightest.label} does not pay for this call${limits}.${figures(` It can cost $${formatUsd(needed)}.`)} The budget starts again at ${ends}.`,
      fields: { resets_at: ends },
    });
  throw new Problem('budget_in_flight', {
    detail: `Calls under way hold the rest of the budget of ${tightest.label}${limits}. Ask again when they have ended.`,
    retry_after_seconds: 1,
  });
}

interface Counter {
  rate: Rate;
  label: string;
  budget: Budget;
}

function leastLeft(counters: readonly Counter[], what: 'requests' | 'tokens'): RateLeft | undefined {
  return counters
    .flatMap(({ rate, budget }) => {
      const limit = budget[`${what}_per_minute`];
      if (limit === null) return [];
      return [
        { limit, remaining: remainingOf(rate[what], limit), reset_seconds: secondsUntil(rate[what], limit, limit) },
      ];
    })
    .toSorted((one, other) => one.remaining - other.remaining)[0];
}

function requireRate({ rate, label, budget }: Counter, tokens: number, left: () => Reserved['rates']): void {
  const asked = [
    { what: 'requests', limit: budget.requests_per_minute, amount: 1 },
    { what: 'tokens', limit: budget.tokens_per_minute, amount: tokens },
  ] as const;
  for (const { what, limit, amount } of asked) {
    if (limit === null) continue;
    const seconds = secondsUntil(rate[what], limit, amount);
    if (seconds === 0) continue;
    if (seconds === Infinity)
      throw new Problem('rate_limit_exceeded', {
        detail: `This call can use ${amount} ${what}, and ${label} may use ${limit} per minute.`,
        fields: { rates: left() },
      });
    throw new Problem('rate_limit_exceeded', {
      detail: `${label} may use ${limit} ${what} per minute.`,
      retry_after_seconds: seconds,
      fields: { rates: left() },
    });
  }
}
