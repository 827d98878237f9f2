// Requests and tokens of the last minute, in cells of one second. 61 cells cover any 60 seconds, wherever they begin within a second.

const cells = 61;

/** The database stores them as integers; every limit is far below. */
const max_cell = 2 ** 31 - 1;

export interface Rate {
  id: string;
  /** Seconds since 1970, of the last cell. */
  second: number;
  requests: number[];
  tokens: number[];
}

export function newRate(id: string, second: number): Rate {
  return { id, second, requests: Array<number>(cells).fill(0), tokens: Array<number>(cells).fill(0) };
}

/** Moves the cells to this second. A clock that was set back changes nothing. */
export function moveTo(rate: Rate, second: number): void {
  const by = Math.min(second - rate.second, cells);
  if (by <= 0) return;
  for (const list of [rate.requests, rate.tokens]) {
    list.splice(0, by);
    list.push(...Array<number>(by).fill(0));
  }
  rate.second = second;
}

/** Seconds until `asked` more fits under the limit: 0 now, Infinity never. */
export function secondsUntil(list: readonly number[], limit: number, asked: number): number {
  if (asked > limit) return Infinity;
  let sum = list.reduce((all, one) => all + one, 0);
  for (let seconds = 0; seconds < cells; seconds++) {
    if (sum + asked <= limit) return seconds;
    sum -= list[seconds] ?? 0;
  }
  return cells;
}

/** The rest of the limit. */
export function remainingOf(list: readonly number[], limit: number): number {
  return Math.max(0, limit - list.reduce((all, one) => all + one, 0));
}

/** Adds to the cell of this second. A cell that has left the minute no longer counts. */
export function addTo(rate: Rate, what: 'requests' | 'tokens', second: number, amount: number): void {
  const list = rate[what];
  const cell = cells - 1 - (rate.second - second);
  const before = list[cell];
  if (before !== undefined) list[cell] = Math.min(max_cell, Math.max(0, before + amount));
}
