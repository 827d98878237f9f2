// Values of secrets in the output of agents. Each line of a value is masked: unchanged, in JSON, in JSON inside of JSON, and percent-encoded as in
// an address. Values of fewer than four characters are not masked: they would mask ordinary words. Neither are values that the agent itself encodes
// or splits.

import type { Secrets } from './target.ts';

const least_characters = 4;
const shown = '***';

/** Masks one text. */
export function masked(values: readonly string[]): (text: string) => string {
  const forms = formsOf(values);
  return (text) => forms.reduce((masking, form) => masking.replaceAll(form, shown), text);
}

/** What a log of an instance may have: the values of today, and those that its place got. */
export function valuesOf(today: Secrets, delivered: readonly string[]): string[] {
  return [...new Set([...Object.values(today).filter((value) => value !== undefined), ...delivered])];
}

/** Masks every text of a JSON value, also the names of members. */
export function maskedJson<T>(value: T, mask: (text: string) => string): T {
  return maskJson(value, mask) as T; // the same structure
}

/**
 * Masks a line that comes in pieces. The end of a piece that may begin a value waits for the next piece. `isLast`: the line ends here.
 */
export function maskedPieces(values: readonly string[]): (piece: string, isLast: boolean) => string {
  const forms = formsOf(values).map((form) => ({ form, borders: bordersOf(form) }));
  const mask = masked(values);
  let held = '';
  return (piece, isLast) => {
    const text = mask(held + piece);
    const waiting = isLast ? 0 : Math.max(0, ...forms.map((each) => overlap(text, each)));
    held = text.slice(text.length - waiting);
    return text.slice(0, text.length - waiting);
  };
}

/** The longest first, because one value may contain another. */
function formsOf(values: readonly string[]): string[] {
  const texts = values.flatMap((value) => [value, ...value.split(/\r?\n/)]);
  const forms = texts.flatMap((text) => {
    const json = [inJson(text), inAscii(inJson(text))];
    return [text, ...json, ...json.map(inJson), ...inAddress(text)];
  });
  return [...new Set(forms)]
    .filter((form) => form.length >= least_characters && !form.includes('\n'))
    .toSorted((one, other) => other.length - one.length);
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** As Python's json.dumps writes it. */
function inAscii(text: string): string {
  return text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** As JavaScript's encodeURIComponent and URLSearchParams, and Python's quote and urlencode write it. */
function inAddress(text: string): string[] {
  const usual = encodeURIComponent(text.toWellFormed());
  const strict = usual.replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams([['', text]]).toString().slice(1);
  return [usual, strict].flatMap((one) => [one, one.replaceAll('%2F', '/'), one.replaceAll('%20', '+')]).concat(form);
}

function maskJson(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((each) => maskJson(each, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [mask(name), maskJson(each, mask)]));
}

interface Form {
  form: string;
  borders: Int32Array;
}

/** The length of the longest end of the text that is a beginning, but not the whole, of the form. Knuth, Morris and Pratt: linear. */
function overlap(text: string, { form, borders }: Form): number {
  let length = 0;
  for (let at = Math.max(0, text.length - form.length + 1); at < text.length; at++) {
    while (length > 0 && text[at] !== form[length]) length = borders[length - 1] ?? 0;
    if (text[at] === form[length]) length++;
  }
  return length;
}

/** For each beginning of the form, the length of its longest proper beginning that is also its end. */
function bordersOf(form: string): Int32Array {
  const borders = new Int32Array(form.length);
  for (let at = 1, length = 0; at < form.length; at++) {
    while (length > 0 && form[at] !== form[length]) length = borders[length - 1] ?? 0;
    if (form[at] === form[length]) length++;
    borders[at] = length;
  }
  return borders;
}
