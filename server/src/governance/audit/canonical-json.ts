import { storableText } from '../../ground/database/storable-text.ts';

/** JSON with sorted keys, without spaces and `undefined` members: equal values have equal bytes (RFC 8785 for our values). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(storableText(key))}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  // Replaced before printing: in JSON a NUL looks like a text with the same six characters.
  return JSON.stringify(typeof value === 'string' ? storableText(value) : value);
}
