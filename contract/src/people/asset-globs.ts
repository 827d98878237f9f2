// Patterns over references: `agents/*`, `*/search`, `tools/web-*`. A `*` matches any characters of one segment. No other character is
// special, so a pattern is easy to read.
import { assetKinds } from '../roles.ts';
import { printRef } from '../refs.ts';

export const globPattern = /^[a-z*](?:[a-z-*]{0,29})\/[a-z0-9-*]{1,63}$/;

/** Takes at most pattern × text steps, for every pattern. */
export function globMatches(pattern: string, ref: string): boolean {
  const wanted = pattern.split('/');
  const given = ref.split('/');
  return wanted.length === given.length && wanted.every((segment, n) => matchesSegment(segment, given[n] ?? ''));
}

/** Does it match any kind of asset? `kb/x` and `agent/x` never match. */
export function namesSomeKind(pattern: string): boolean {
  const [segment = ''] = pattern.split('/');
  return assetKinds.some((kind) => globMatches(`${segment}/*`, printRef({ kind, name: 'x' })));
}

// Backtracks to the last star only.
function matchesSegment(pattern: string, text: string): boolean {
  let at = 0;
  let star: { at: number; taken: number } | undefined;
  for (let n = 0; n < text.length;) {
    if (pattern[at] === '*') {
      star = { at, taken: n };
      at++;
    } else if (pattern[at] === text[n]) {
      at++;
      n++;
    } else if (star === undefined) return false;
    else {
      star.taken++;
      n = star.taken;
      at = star.at + 1;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}
