// Phone numbers. libphonenumber decides which digits are a number; the surroundings decide which digits are asked about.
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import type { Span } from '../../rule.ts';
import { continuesNumber, isDigit, isNamed } from './match.ts';

/** `countries`: those of the locales. Without any: written in full, in the American form, or named as a phone number. */
export const findPhones =
  (countries: readonly string[]) =>
  (text: string): Span[] =>
    [...text.matchAll(begin)].flatMap(({ index: start, 0: head }) => {
      const isFull = head.includes('+');
      if (!isFull && (isContinued(text, start) || (text[start - 1] === '.' && isDigit(text, start - 2)))) return [];
      const written = (body.exec(text.slice(start, start + 36))?.[0] ?? '').replace(/[^\d)]+$/, '');
      const digits = written.replaceAll(/\D/g, '');
      if (digits.length < 7 || digits.length > 17) return [];
      const full = isFull ? written : written.startsWith('00') ? `+${written.slice(2)}` : undefined;
      const last = start + written.length;
      const end = last + (extension.exec(text.slice(last, last + 16))?.[0].length ?? 0);
      if (isFollowed(text, end)) return [];
      const isPhone = full === undefined ? isNational({ text, start, written, digits }, countries) : isPossible(full);
      return isPhone ? [{ start, end, type: 'PHONE' }] : [];
    });

/** A number in parentheses or at the start of a line begins anew. */
const isContinued = (text: string, start: number): boolean =>
  text[start] !== '(' && text[start - 1] !== '\n' && continuesNumber(text, start);

const extension = /^ {0,2}(?:x|ext\.?|extension) ?\d{1,6}(?!\w)/i;
const begin =
  /(?<![\p{L}\p{N}_+%=$#@/:.-]|\d,|[.:/-]\()(?:\+\(?\d|\(\+?\d|\d)|(?<=(?:tel|phone|sms)[:=]|[,=:] {0,1})\+\d/gu;
const body = /^[+(]{0,2}\d(?:[ ()./\n-]{0,3}\d){4,16}/;

const isFollowed = (text: string, end: number): boolean =>
  /^(?:[\p{L}\p{N}_%@]|[.:/-]\d)/u.test(text.slice(end, end + 3));

interface Candidate {
  text: string;
  start: number;
  written: string;
  digits: string;
}

function isNational({ text, start, written, digits }: Candidate, countries: readonly string[]): boolean {
  if (isDate.test(written)) return false;
  const named = isNamed(text, start, words);
  const separators = written.match(/[ ()./-]+/g)?.length ?? 0;
  if (american.test(written)) return true;
  if (!named && separators === 0) return false;
  const asked = [...countries, ...(named ? named_countries : [])];
  return asked.some((country) => canBeNumber(country, digits) && isValid(written, country));
}

/** The form decides, because new area codes come every year. */
const american = /^(?:1[-. ])?(?:\([2-9]\d{2}\) ?[2-9]\d{2}[-. ]\d{4}|([2-9]\d{2})([-.])[2-9]\d{2}\2\d{4})$/;
const words =
  /\b(?:tel|telephone|phone|mobile|cell|fax|call|ring|sms|text|whatsapp|telefon|telefax|handy|mobil|téléphone|portable|teléfono|móvil|cellulare|telefono|celular)(?:[ .](?:phone|number|num|no|nr|is|are|at|on|me|us|him|her|back|nummer|numéro|número))*[ .:#-]{0,4}$/i;
const named_countries = ['US', 'GB', 'DE', 'FR', 'ES', 'IT', 'NL', 'PL', 'SE', 'BR', 'IN', 'AU', 'CH', 'AT'];
/** Dates and times have the same characters. */
const isDate = /^(?:(?:19|20)\d\d[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)\d\d)(?:\D|$)/;

/** The library's own form of a country's numbers. It takes less than a microsecond; the library's check takes twenty. */
function canBeNumber(country: string, digits: string): boolean {
  const form = forms.get(country) ?? formOf(country);
  forms.set(country, form);
  return form.test(digits);
}

const forms = new Map<string, RegExp>();

function formOf(country: string): RegExp {
  // Items 2 and 5 of a country: the form of its numbers and their prefix inside the country.
  const plan = Object.entries<unknown>(metadata.countries).find(([name]) => name === country)?.[1];
  const [form = '', prefix = ''] = Array.isArray(plan)
    ? [plan[2], plan[5]].map((part) => (typeof part === 'string' ? part : ''))
    : [];
  return new RegExp(`^(?:${prefix})?(?:${form})$`);
}

const isValid = (written: string, country: string): boolean => parse(written, country)?.isValid() === true;

/** A country's prefix and a length of its numbers. */
const isPossible = (written: string): boolean => parse(written)?.isPossible() === true;

function parse(written: string, country?: string) {
  // The library takes any text as a country and finds no number for an unknown one.
  const region = country as CountryCode | undefined;
  return parsePhoneNumberFromString(written, {
    ...(region === undefined ? {} : { defaultCountry: region }),
    extract: false,
  });
}
