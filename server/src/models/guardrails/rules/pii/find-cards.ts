// Payment cards: 12 to 19 digits of a known issuer with a Luhn check digit, in one group or in several.
import type { Span } from '../../rule.ts';
import { isLuhn } from './checksums.ts';
import { continuesNumber, groupStarts, isDigit, readGroups, separatorAt, type Groups } from './match.ts';

export function findCards(text: string): Span[] {
  return groupStarts(text).flatMap((start) => {
    // No network has other first digits.
    if (!'234568'.includes(text.charAt(start))) return [];
    // A short group inside a row of numbers starts no usual form.
    if (continuesNumber(text, start) && !startsLongGroup(text, start)) return [];
    const groups = readGroups(text, start, 19);
    const end = groups.digits.length < 13 ? undefined : endOfCard(text, start, groups);
    return end === undefined ? [] : [{ start, end, type: 'CARD' }];
  });
}

const startsLongGroup = (text: string, start: number): boolean =>
  isDigit(text, start + 1) && isDigit(text, start + 2) && isDigit(text, start + 3);

/** The end of the most groups that are a card together. */
function endOfCard(text: string, start: number, { digits, sizes, ends, separator }: Groups): number | undefined {
  const isDecimal = text[start - 1] === '.' && isDigit(text, start - 2);
  const isFirst = !continuesNumber(text, start);
  let count = digits.length;
  for (let last = sizes.length - 1; count >= 13; count -= sizes[last] ?? 0, last--) {
    const end = ends[last] ?? start;
    if (count > 19 || (last === 0 && isDecimal)) continue;
    // Several numbers beside each other are no card: unusual groups count only when nothing continues them.
    const isAlone = (): boolean =>
      isFirst && separatorAt(text, end) === '' && areOneNumber(sizes.slice(0, last + 1), separator);
    if (last > 0 && !isAlone() && !usual.has(sizes.slice(0, last + 1).join('-'))) continue;
    const card = digits.slice(0, count);
    if (isIssued(card) && isLuhn(card)) return end;
  }
  return undefined;
}

function areOneNumber(sizes: readonly number[], separator: string | undefined): boolean {
  const [first = 0] = sizes;
  return (
    separator !== undefined || (sizes.slice(0, -1).every((size) => size === first) && (sizes.at(-1) ?? 0) <= first)
  );
}

const usual = new Set([
  '4-4-4-4',
  '4-6-5',
  '4-6-4',
  '4-4-4-4-3',
  '6-13',
  '8-8',
  '4-4-5',
  '4-4-4-1',
  '4-4-4-2',
  '4-4-4-3',
  '5-5-5',
  '4-5-6',
]);

/** The ranges of the networks, by first digits and length. */
function isIssued(digits: string): boolean {
  return networks.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits));
}

const longer = [16, 17, 18, 19];
const networks: readonly { prefix: RegExp; lengths: readonly number[] }[] = [
  { prefix: /^4/, lengths: [13, 16, 19] },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^(?:6011|64[4-9]|65|60|81|82|508)/, lengths: longer },
  { prefix: /^(?:30[0-5]|309|36|38|39)/, lengths: [14, ...longer] },
  { prefix: /^35(?:2[89]|[3-8])/, lengths: longer },
  { prefix: /^62/, lengths: longer },
  { prefix: /^(?:5018|502|503|504|5[678]|6304|6759|676[123])/, lengths: [13, 14, 15, ...longer] },
  { prefix: /^220[0-4]/, lengths: longer },
];
