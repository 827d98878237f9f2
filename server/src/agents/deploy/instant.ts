// The engine's timestamps have nanoseconds. A Date keeps only milliseconds, and a busy agent writes many lines in one.

/** The engine's form of `since`: `seconds.nanoseconds`. */
export function unixTime(at: string): string {
  return `${Math.floor(Date.parse(at) / 1000)}.${nanoseconds(at)}`;
}

/** Compares timestamps with any number of digits. */
export function isAfter(at: string, other: string): boolean {
  return sortable(at) > sortable(other);
}

/** Texts in the order of their instants. */
export function sortable(at: string): string {
  return new Date(at).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss.'.length) + nanoseconds(at);
}

function nanoseconds(at: string): string {
  return (/\.(\d{1,9})/.exec(at)?.[1] ?? '').padEnd(9, '0');
}
