// Values inside base64 and hex. The whole token is the match, because a part of it still decodes.
import type { Span } from '../../rule.ts';
import { yieldTurn } from '../../../../ground/yield-turn.ts';
import type { Find } from './match.ts';

/** Looks into each token, and into tokens of the decoded text, with `find`. */
export async function findEncoded(text: string, find: Find, depth = 2): Promise<Span[]> {
  const spans: Span[] = [];
  for (const { index: start, 0: written } of text.matchAll(token)) {
    await yieldTurn();
    const type = await typeInside(written, find, depth);
    if (type !== undefined) spans.push({ start, end: start + written.length, type });
  }
  return spans;
}

const token = /[A-Za-z0-9+/_-]{16,}={0,2}/g;

async function typeInside(written: string, find: Find, depth: number): Promise<string | undefined> {
  for (const inside of readable(written)) {
    await yieldTurn();
    const found = find(inside)[0] ?? (depth > 1 ? (await findEncoded(inside, find, depth - 1))[0] : undefined);
    if (found !== undefined) return found.type;
  }
  return undefined;
}

/**
 * Runs of printable ASCII in every alignment: other characters can be glued to a token. The runs of an alignment are one text, because a
 * search in a text costs more than its few characters.
 */
function readable(written: string): string[] {
  const isHex = /^[0-9a-fA-F]+$/.test(written);
  const decoded = isHex
    ? [0, 1].map((skipped) => Buffer.from(written.slice(skipped), 'hex'))
    : [0, 1, 2, 3].map((skipped) => Buffer.from(written.slice(skipped), 'base64'));
  return decoded.flatMap((bytes) => bytes.toString('latin1').match(printable)?.join(endOfMatch) ?? []);
}

const printable = /[\t\n\r -~]{8,}/g;
/** No form has this character. */
const endOfMatch = '\u0001';
