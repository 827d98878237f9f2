import { storableText } from '../database/storable-text.ts';

/** JSON with sorted keys and no spaces, so that the same value always has the same bytes; `undefined` members are left out (RFC 8785 for our values). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(storableText(key))}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  // Before it is printed: in JSON a NUL looks like the six characters that somebody wrote of one.
  return JSON.stringify(typeof value === 'string' ? storableText(value) : value);
}
