// Days, ISO weeks and months in UTC. A day is text, such as 2026-11-22, so days sort as texts.

export const windows = ['day', 'week', 'month'] as const;
export type Window = (typeof windows)[number];

const day_ms = 86_400_000;

/** The two days are in the same day, week or month. */
export function areInSame(window: Window, one: string, other: string): boolean {
  return startOf(window, one) === startOf(window, other);
}

/** The first moment after the window that contains this day, in ISO 8601. */
export function endOf(window: Window, day: string): string {
  const start = new Date(startOf(window, day));
  if (window === 'month') start.setUTCMonth(start.getUTCMonth() + 1);
  else start.setTime(start.getTime() + (window === 'week' ? 7 : 1) * day_ms);
  return start.toISOString();
}

function startOf(window: Window, day: string): string {
  if (window === 'day') return day;
  if (window === 'month') return `${day.slice(0, 7)}-01`;
  const at = new Date(day);
  const since_monday = (at.getUTCDay() + 6) % 7;
  return new Date(at.getTime() - since_monday * day_ms).toISOString().slice(0, 10);
}
