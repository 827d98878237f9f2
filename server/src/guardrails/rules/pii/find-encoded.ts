// Values inside base64 and hex. The whole token is the match, because a part of it still decodes.
import type { Span } from '../../rule.ts';
import type { Find } from './match.ts';

/** Looks into each token, and into tokens of the decoded text, with `find`. */
export function findEncoded(text: string, find: Find, depth = 2): Span[] {
  return [...text.matchAll(token)].flatMap(({ index: start, 0: written }) => {
    const type = typeInside(written, find, depth);
    return type === undefined ? [] : [{ start, end: start + written.length, type }];
  });
}

const token = /[A-Za-z0-9+/_-]{16,}={0,2}/g;

function typeInside(written: string, find: Find, depth: number): string | undefined {
  for (const inside of readable(written)) {
    const found = find(inside)[0] ?? (depth > 1 ? findEncoded(inside, find, depth - 1)[0] : undefined);
    if (found !== undefined) return found.type;
  }
  return undefined;
}

/** Runs of printable ASCII in every alignment: other characters can be glued to a token. */
function readable(written: string): string[] {
  const isHex = /^[0-9a-fA-F]+$/.test(written);
  const decoded = isHex
    ? [0, 1].map((skipped) => Buffer.from(written.slice(skipped), 'hex'))
    : [0, 1, 2, 3].map((skipped) => Buffer.from(written.slice(skipped), 'base64'));
  return decoded.flatMap((bytes) => bytes.toString('latin1').match(printable) ?? []);
}

const printable = /[\t\n\r -~]{8,}/g;
