// The part at the end of a text in which a value can still begin or continue. It starts at a space, so that no value is read in halves.
import { openKeyAt } from './find-secrets.ts';
import { originalSpan, replaceLookAlikes } from './normalise.ts';

/** A number in groups, an IBAN and a phone number are shorter, with two separators after each character. */
const longest_groups = 80;

export function openFrom(original: string): number {
  const normal = replaceLookAlikes(original);
  const { text } = normal;
  const open = startOfGroups(text);
  const key = openKeyAt(text);
  const at = Math.min(open, key ?? open);
  // Invisible characters before the open part stay with it.
  if (at === 0) return 0;
  return originalSpan(normal, at - 1, at).end;
}

/** The last token, and the groups of a number before it. */
function startOfGroups(text: string): number {
  const earliest = Math.max(0, text.length - longest_groups);
  let open = startOfToken(text, text.length);
  let words = 0;
  for (let at = open; at > earliest;) {
    const gap = /[ \n\r\t]{1,3}$/.exec(text.slice(Math.max(0, at - 4), at))?.[0].length ?? 4;
    const end = at - gap;
    const start = Math.max(startOfToken(text, end), earliest);
    if (gap > 3 || start === end) break;
    const token = text.slice(start, end);
    if (/\d|^[^\p{L}]{1,3}$/u.test(token) || (/^\p{L}{2}$/u.test(token) && at === open)) {
      open = start;
      words = 0;
    } else if (!/^\p{L}{1,4}$/u.test(token) || ++words > 2) break;
    at = start;
  }
  return open;
}

function startOfToken(text: string, end: number): number {
  let at = end;
  while (at > 0 && !ends(text.charCodeAt(at - 1))) at--;
  return at;
}

/** Controls, spaces, `"`, `,`, `<`, `>`, `[`, `]`, `{`, `|` and `}`. The other spaces are `ends` after normalisation. */
function ends(code: number): boolean {
  return (
    (code <= 34 && code !== 33) ||
    code === 44 ||
    code === 60 ||
    code === 62 ||
    code === 91 ||
    code === 93 ||
    (code >= 123 && code <= 125)
  );
}
