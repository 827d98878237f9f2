// National ids: one row each. A row with `bare` matches anywhere, because its check digits or its form are strict. The others match with the
// locale of their country, or beside a word that names them.
import type { Span } from '../../rule.ts';
import { digitAt, isLuhn, isMod1110, isVerhoeff, weighted } from './checksums.ts';
import { continuesNumber, isDigit, isNamed, separatorAt } from './match.ts';

interface NationalId {
  country: string;
  name: string;
  form: RegExp;
  /** Gets the letters and digits, in upper case. */
  isValid: (compact: string) => boolean;
  isBare: (written: string) => boolean;
  words: RegExp;
}

const always = (): boolean => true;
const never = (): boolean => false;

const nationalIds: readonly NationalId[] = [
  {
    country: 'US',
    name: 'Social Security number',
    form: edged('\\d{3}([ -]?)\\d{2}\\2\\d{4}'),
    isValid: (id) => !/^(?:000|666|9)|^...00|0000$/.test(id) && id !== '078051120' && id !== '123456789',
    isBare: (written) => /^\d{3}-\d{2}-\d{4}$/.test(written),
    words: /\b(?:ssn|social security)/i,
  },
  {
    country: 'GB',
    name: 'National Insurance number',
    form: edged('[A-CEGHJ-PR-TW-Za-ceghj-pr-tw-z][A-CEGHJ-NPR-TW-Za-ceghj-npr-tw-z] ?\\d{2} ?\\d{2} ?\\d{2} ?[A-Da-d]'),
    isValid: (id) => !/^(?:BG|GB|NK|KN|TN|NT|ZZ)/.test(id),
    isBare: (written) => written === written.toUpperCase(),
    words: /\b(?:nino|national insurance)/i,
  },
  {
    country: 'DE',
    name: 'tax id',
    form: edged('[1-9]\\d ?\\d{3} ?\\d{3} ?\\d{3}'),
    isValid: (id) => isMod1110(id) && repeatsOneDigit(id.slice(0, 10)),
    isBare: (written) => /^\d{2} \d{3} \d{3} \d{3}$|^\d{11}$/.test(written),
    words: /\b(?:steuer|tax|idnr|tin\b)/i,
  },
  {
    country: 'FR',
    name: 'NIR',
    form: edged('[1278] ?\\d{2} ?\\d{2} ?(?:\\d{2}|2[ABab]) ?\\d{3} ?\\d{3} ?\\d{2}'),
    isValid: isNir,
    isBare: always,
    words: /\b(?:nir|s[ée]cu)/i,
  },
  {
    country: 'ES',
    name: 'DNI or NIE',
    form: edged('(?:\\d{8}|[XYZxyz]-?\\d{7})[ -]?[A-HJ-NP-TV-Za-hj-np-tv-z]'),
    isValid: (id) =>
      'TRWAGMYFPDXBNJZSQVHLCKE'[
        Number(id.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)))) % 23
      ] === id.at(-1),
    isBare: (written) => written === written.toUpperCase(),
    words: /\b(?:dni|nie|nif)\b/i,
  },
  {
    country: 'IT',
    name: 'codice fiscale',
    form: edged(
      '[A-Za-z]{6}[0-9LMNP-Vlmnp-v]{2}[A-EHLMPRSTa-ehlmprst][0-9LMNP-Vlmnp-v]{2}[A-Za-z][0-9LMNP-Vlmnp-v]{3}[A-Za-z]',
    ),
    isValid: isCodiceFiscale,
    isBare: always,
    words: /\bcodice/i,
  },
  {
    country: 'NL',
    name: 'BSN',
    form: edged('\\d{9}|\\d{3}[. ]\\d{3}[. ]\\d{3}|\\d{4}\\.\\d{2}\\.\\d{3}'),
    isValid: (id) => !id.startsWith('00') && weighted(id, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
    isBare: never,
    words: /\b(?:bsn|burgerservice|sofi)/i,
  },
  {
    country: 'PL',
    name: 'PESEL',
    form: edged('\\d{11}'),
    isValid: (id) =>
      isDayOfYear(Number(id.slice(2, 4)) % 20, Number(id.slice(4, 6))) &&
      weighted(id, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
    isBare: always,
    words: /\bpesel/i,
  },
  {
    country: 'SE',
    name: 'personnummer',
    form: edged('(?:19|20)?\\d{6}[-+]?\\d{4}'),
    isValid: (id) => {
      const short = id.slice(-10);
      const day = Number(short.slice(4, 6));
      return isDayOfYear(Number(short.slice(2, 4)), day > 60 ? day - 60 : day) && isLuhn(short);
    },
    isBare: (written) => /[-+]/.test(written),
    words: /\b(?:personnummer|personal number|samordningsnummer)/i,
  },
  {
    country: 'BR',
    name: 'CPF',
    form: edged('\\d{3}\\.?\\d{3}\\.?\\d{3}-?\\d{2}'),
    isValid: isCpf,
    isBare: always,
    words: /\bcpf/i,
  },
  {
    country: 'IN',
    name: 'Aadhaar',
    form: edged('[2-9]\\d{3}([ -]?)\\d{4}\\2\\d{4}'),
    isValid: isVerhoeff,
    isBare: never,
    words: /\b(?:aadhaar|aadhar|uidai)/i,
  },
  {
    country: 'CA',
    name: 'SIN',
    form: edged('[1-79]\\d{2}([ -]?)\\d{3}\\2\\d{3}'),
    isValid: isLuhn,
    isBare: never,
    words: /\b(?:sin|social insurance)\b/i,
  },
];

/** Each form is tried at each place, so that no match hides another. */
function edged(form: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_+])(?=(${form})(?![\\p{L}\\p{N}_]))`, 'gu');
}

export const findNationalIds =
  (countries: readonly string[]) =>
  (text: string): Span[] =>
    nationalIds.flatMap(({ country, form, isValid, isBare, words }) =>
      [...text.matchAll(form)].flatMap(({ index: start, 1: written = '' }) => {
        const end = start + written.length;
        if (isPartOfNumber(text, start, end)) return [];
        if (!isValid(written.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase())) return [];
        if (!isBare(written) && !countries.includes(country) && !isNamed(text, start, words)) return [];
        return [{ start, end, type: 'NATIONAL_ID' }];
      }),
    );

const isPartOfNumber = (text: string, start: number, end: number): boolean =>
  (isDigit(text, start) && text[start - 1] !== ' ' && continuesNumber(text, start)) ||
  (isDigit(text, end - 1) && text[end] !== ' ' && separatorAt(text, end) !== '');

/** One digit comes two or three times in the first ten, and at least one is absent. */
function repeatsOneDigit(digits: string): boolean {
  const counts = '0123456789'
    .split('')
    .map((digit) => digits.split(digit).length - 1)
    .filter((count) => count > 1);
  return counts.length === 1 && (counts[0] ?? 0) <= 3;
}

function isNir(id: string): boolean {
  const month = Number(id.slice(3, 5));
  if (month === 0 || (month > 12 && month < 20)) return false;
  const number = id.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return /^\d{13}$/.test(number) && 97 - Number(BigInt(number) % 97n) === Number(id.slice(13));
}

function isCodiceFiscale(id: string): boolean {
  const sum = id
    .slice(0, 15)
    .split('')
    .reduce((total, character, n) => {
      const value = /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65;
      return total + (n % 2 === 0 ? (oddValues[value] ?? 0) : value);
    }, 0);
  return String.fromCharCode(65 + (sum % 26)) === id[15];
}

/** The decree's values of characters in odd places, for 0 to 9 and A to Z. */
const oddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

function isCpf(id: string): boolean {
  if (/^(\d)\1{10}$/.test(id)) return false;
  const check = (length: number): number => {
    const sum = weighted(
      id,
      Array.from({ length }, (_, n) => length + 1 - n),
    );
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === digitAt(id, 9) && check(10) === digitAt(id, 10);
}

const isDayOfYear = (month: number, day: number): boolean => month >= 1 && month <= 12 && day >= 1 && day <= 31;
