import { Problem } from '@gantry/contract/problems.ts';

/** Refuses paths that two readers could read differently: encoded separators, dots and control characters, empty segments, backslashes. */
export function canonicalPath(url: string): void {
  const { pathname } = new URL(url);
  const ambiguous = /%(2f|5c|2e|00|0a|0d|25)|\\|\/\/|\/\.\.?(\/|$)|;/i.test(pathname);
  if (ambiguous) throw new Problem('malformed', { detail: 'The path is not written in its plain form.' });
}
