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
      const full = isFull
        ? written
        : written.startsWith('00') && !isNamed(text, start, other_words)
          ? `+${written.slice(2)}`
          : undefined;
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
  const separators = written.match(/[ ()./-]+/g)?.length ?? 0;
  if (american.test(written)) return true;
  if (isOtherNumber(text, start, written)) return false;
  const named = isNamed(text, start, words) || (separators > 1 && isNamed(text, start, number_words));
  // Numbers of every kind have groups of digits. So without a word the number begins as dialled: with a zero or an area code in parentheses.
  if (!named && (!isDialled.test(written) || isNamed(text, start, other_words))) return false;
  const asked = [...countries, ...(named ? named_countries : [])];
  return asked.some((country) => canBeNumber(country, digits) && isValid(written, country));
}

const isDialled = /^(?:0\d+[ ./()-]|\(\d{2,5}\))/;

/** A decimal, four numbers with dots, or an amount. */
function isOtherNumber(text: string, start: number, written: string): boolean {
  if (/^\d+\.\d+$|^\d{1,3}(?:\.\d{1,3}){3}$/.test(written)) return true;
  const end = start + written.length;
  return amount.test(text.slice(end, end + 10));
}

const amount =
  /^(?:,\d| ?(?:[€$£¥%]|(?:euros?|eur|usd|gbp|chf|dollars?|francs?|franken|pesos?|reais|zł|kr)(?!\p{L})))/iu;

/** The form decides, because new area codes come every year. */
const american = /^(?:1[-. ])?(?:\([2-9]\d{2}\) ?[2-9]\d{2}[-. ]\d{4}|([2-9]\d{2})([-.])[2-9]\d{2}\2\d{4})$/;
/** Directly before the number, or with a few words between: "Rufen Sie mich bitte unter 0171 …", "mon numéro est le 06 …". */
const words = new RegExp(
  [
    String.raw`(?<!\p{L})(?:`,
    'tel|telephone|phone|fax|sms|whatsapp', // en
    '|telefon(?:nummer)?|telefax|handy(?:nummer)?|mobil(?:nummer)?|rufnummer|rufen|anrufen|erreich(?:en|bar)', // de, sv
    '|t[ée]l[ée]phone|portable|appele[zr]|joindre|joignable', // fr
    '|tel[ée]fono|m[óo]vil|celular|ll[áa]m(?:ame|eme|enos|ar)|telefone|telem[óo]vel|ligue|liga-me', // es, pt
    '|cellulare|chiam(?:ami|atemi|are)', // it
    '|telefoon(?:nummer)?|mobiel|bel(?: me| mij)?|telefonu|kom[óo]rk[aęi]|zadzwo[ńn](?:cie)?|ring(?: mig)?', // nl, pl, sv
    String.raw`)(?!\p{L})[^\d.!?;\n]{0,3}(?:[.:#][^\d.!?;\n]{0,25}|[^\d.!?;\n]{0,25})$`,
    // Words with other senses, close to the number.
    String.raw`|(?<!\p{L})(?:call|cell|mobile|text)(?:[ .](?:phone|number|num|no|is|are|at|on|me|us|him|her|back))*[ .:#-]{0,4}$`,
  ].join(''),
  'iu',
);
/** A number in groups. */
const number_words = /(?<!\p{L})(?:number|nummer|num[ée]ro|n[úu]mero|numer)(?!\p{L})[^\d.!?;\n]{0,12}$/iu;
/** What else has a number with a zero in front. */
const other_words =
  /(?<!\p{L})(?:art(?:ikel|icle|\.)?|order|bestell(?:ung|nummer)|rechnung(?:snummer)?|invoice|facture|factura|fattura|pedido|commande|ticket|batch|charge|lot|serial|isbn|ean|sku|iban|konto(?:nummer)?|account|rgb|netmask|version|id|ref(?:erence|erenz)?|case|build)(?!\p{L})(?:[ .-]{1,2}(?:nr|no|number|nummer|num|numéro|id|is|ist))*[ .:#-]{0,4}$/iu;
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
