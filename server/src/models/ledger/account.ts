// The counters of one account, and its limits. Pure: books.ts reads and writes the rows.
import { areInSame, windows, type Window } from './windows.ts';

/** Amounts in nano-USD. */
type Amounts = Record<Window, number>;

export interface Account {
  id: string;
  /** The counters are about the day, week and month that contain it. */
  day: string;
  spent: Amounts;
  /** Reserved by calls under way. */
  held: Amounts;
  /** The account of a paused key pays for nothing. */
  is_paused: boolean;
}

/** Null is no limit. */
export type Limits = Record<Window, number | null>;

export const noLimits: Limits = { day: null, week: null, month: null };

export function newAccount(id: string, day: string): Account {
  const nothing = () => ({ day: 0, week: 0, month: 0 });
  return { id, day, spent: nothing(), held: nothing(), is_paused: false };
}

/** Starts the windows that contain `day` and not the account's own day. A clock that was set back changes nothing. */
export function startWindows(account: Account, day: string): void {
  if (day <= account.day) return;
  for (const window of windows) {
    if (areInSame(window, account.day, day)) continue;
    account.spent[window] = 0;
    account.held[window] = 0;
  }
  account.day = day;
}

/** A limit that leaves the least, or none. */
export interface Headroom {
  nano: number;
  window: Window;
  limit: number;
  spent: number;
}

/** Undefined without a limit. */
export function headroomOf(account: Account, limits: Limits): Headroom | undefined {
  let least: Headroom | undefined;
  for (const window of windows) {
    const limit = limits[window];
    if (limit === null) continue;
    const spent = account.spent[window];
    const nano = limit - spent - account.held[window];
    if (least === undefined || nano < least.nano) least = { nano, window, limit, spent };
  }
  return least;
}

/** False for more than a counter can count. */
export function canHold({ held }: Account, nano: number): boolean {
  return windows.every((window) => Number.isSafeInteger(held[window] + nano));
}

export function hold(account: Account, nano: number): void {
  for (const window of windows) account.held[window] += nano;
}

/** A charge was too high. Windows that have ended since have no counters any more. */
export function lower(account: Account, { day, nano }: { day: string; nano: number }): void {
  for (const window of windows)
    if (areInSame(window, day, account.day)) account.spent[window] = Math.max(0, account.spent[window] - nano);
}

/** The windows of the hold's own day change. One that has ended since has no counters any more. */
export function settle(account: Account, held: { day: string; nano: number }, spent_nano: number): void {
  for (const window of windows) {
    if (!areInSame(window, held.day, account.day)) continue;
    account.held[window] -= held.nano;
    // No limit is higher.
    account.spent[window] = Math.min(account.spent[window] + spent_nano, Number.MAX_SAFE_INTEGER);
  }
}
