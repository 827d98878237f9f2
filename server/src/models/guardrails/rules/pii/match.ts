import type { Span } from '../../rule.ts';

/** The preceding characters that can name a value: "phone: ", "his SSN is ". */
const context_characters = 40;

export type Find = (text: string) => Span[];

/** True when a word of `words` is shortly before `start`. */
export const isNamed = (text: string, start: number, words: RegExp): boolean =>
  words.test(text.slice(Math.max(0, start - context_characters), start));

/** Groups of digits from `start` on, with one or two separators between them. */
export interface Groups {
  digits: string;
  sizes: number[];
  ends: number[];
  /** The separator between the groups; undefined when they differ or there is none. */
  separator: string | undefined;
}

export function readGroups(text: string, start: number, most_digits: number): Groups {
  const groups: Groups = { digits: '', sizes: [], ends: [], separator: undefined };
  let at = start;
  while (groups.digits.length <= most_digits) {
    const from = at;
    while (at - from <= most_digits && isDigit(text, at)) at++;
    if (at === from) break;
    groups.digits += text.slice(from, at);
    groups.sizes.push(at - from);
    groups.ends.push(at);
    const gap = separatorAt(text, at);
    if (gap === '') break;
    groups.separator = groups.sizes.length === 1 || gap === groups.separator ? gap : undefined;
    at += gap.length;
  }
  return groups;
}

/** The separator of one or two characters at `at` that a digit follows; otherwise empty. */
export function separatorAt(text: string, at: number): string {
  if (!isSeparator(text, at)) return '';
  if (isDigit(text, at + 1)) return text.slice(at, at + 1);
  return isSeparator(text, at + 1) && isDigit(text, at + 2) ? text.slice(at, at + 2) : '';
}

/** True when a digit and a separator are directly before `at`. */
export const continuesNumber = (text: string, at: number): boolean =>
  isSeparator(text, at - 1) && (isDigit(text, at - 2) || (isSeparator(text, at - 2) && isDigit(text, at - 3)));

/** The places at which a group of digits starts. */
export function groupStarts(text: string): number[] {
  return [...text.matchAll(groupStart)].map(({ index }) => index);
}

const groupStart = /(?<!\d)\d/g;

export function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

const isSeparator = (text: string, at: number): boolean => at >= 0 && ' .-/_\n\r\t'.includes(text.charAt(at) || 'x');
