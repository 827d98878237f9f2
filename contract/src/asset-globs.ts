// Patterns over references: `agents/*`, `*/search`, `tools/web-*`. A `*` stands for any characters of one segment; nothing else is
// special, so that what a pattern means can be seen.
import { assetKinds } from './roles.ts';
import { printRef } from './refs.ts';

export const globPattern = /^[a-z*](?:[a-z-*]{0,29})\/[a-z0-9-*]{1,63}$/;

/** Takes at most pattern × text steps, whatever the pattern. */
export function globMatches(pattern: string, ref: string): boolean {
  const wanted = pattern.split('/');
  const given = ref.split('/');
  return wanted.length === given.length && wanted.every((segment, n) => matchesSegment(segment, given[n] ?? ''));
}

/** Does any kind of asset lie under it? `kb/x` and `agent/x` would match nothing, ever. */
export function namesSomeKind(pattern: string): boolean {
  const [segment = ''] = pattern.split('/');
  return assetKinds.some((kind) => globMatches(`${segment}/*`, printRef({ kind, name: 'x' })));
}

// Goes back to the last star only.
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
