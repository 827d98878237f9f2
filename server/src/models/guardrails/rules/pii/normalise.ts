// A text as its reader sees it: look-alikes are ASCII, invisible characters are absent, escapes are decoded. Every character keeps the place
// in the original, because a span is about the original.

export interface Normal {
  text: string;
  /** Character `n` of `text` is from `starts[n]` to `ends[n]` of the original. Undefined: both texts have the same offsets. */
  places: { starts: Uint32Array; ends: Uint32Array } | undefined;
}

/** The reader's forms of a text: without and with decoded escapes. One form when both are the same. */
export function normalForms(original: string): Normal[] {
  const visible = replaceLookAlikes(original);
  const decoded = decodeEscapes(visible);
  if (decoded === visible) return [visible];
  const twice = decodeEscapes(decoded);
  return [visible, twice];
}

/** The offsets in the original of a part of a normal form. */
export function originalSpan({ places }: Normal, start: number, end: number): { start: number; end: number } {
  if (places === undefined) return { start, end };
  return { start: places.starts[start] ?? 0, end: places.ends[end - 1] ?? 0 };
}

/** Text in tag characters, and other rows of more than 8 invisible characters. A flag has 7, an emoji with a profession 2. */
export function findHidden(original: string): { start: number; end: number }[] {
  return [...original.matchAll(hidden)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
}

const hidden = /[\p{Default_Ignorable_Code_Point}\u200e\u200f\u061c]{9,}/gu;

export function replaceLookAlikes(original: string): Normal {
  if (isAscii(original)) return { text: original, places: undefined };
  const { length } = original;
  const codes = new Uint16Array(length);
  const starts = new Uint32Array(length);
  const ends = new Uint32Array(length);
  let size = 0;
  for (let at = 0; at < length;) {
    const code = original.codePointAt(at) ?? 0;
    const next = at + (code > 0xffff ? 2 : 1);
    const seen = mapped(code);
    if (seen !== dropped) {
      codes[size] = seen;
      starts[size] = at;
      ends[size] = next;
      size++;
    }
    at = next;
  }
  return { text: decodeUtf16(codes.subarray(0, size)), places: { starts, ends } };
}

/** Without accents, and with one space in place of each gap. Every form has one character for each that it had, or one for each gap. */
export function foldGaps(normal: Normal, gap: RegExp): Normal {
  const text = isAscii(normal.text) ? normal.text : normal.text.replaceAll(/[^\u0000-\u007f]/g, withoutAccent);
  return rewrite({ ...normal, text }, gap, () => ' ');
}

function withoutAccent(letter: string): string {
  if (letter === 'ı') return 'i';
  const bare = letter.normalize('NFKD').replaceAll(/\p{Mn}/gu, '');
  return bare.length === 1 ? bare : letter;
}

/** Percent escapes, HTML entities and the escapes of JSON. Returns its argument when it has none. */
function decodeEscapes(normal: Normal): Normal {
  return /[%&\\]/.test(normal.text) ? rewrite(normal, escape, decodeOne) : normal;
}

/** Each match as one character; one that is written as undefined stays. Returns its argument without a match. */
function rewrite(normal: Normal, expression: RegExp, write: (match: string) => string | undefined): Normal {
  const { text } = normal;
  let decoded = '';
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  let at = 0;
  const keep = (until: number): void => {
    for (let n = at; n < until; n++) {
      const { start, end } = originalSpan(normal, n, n + 1);
      starts[decoded.length + n - at] = start;
      ends[decoded.length + n - at] = end;
    }
    decoded += text.slice(at, until);
  };
  for (const match of text.matchAll(expression)) {
    const character = write(match[0]);
    if (character === undefined) continue;
    keep(match.index);
    at = match.index + match[0].length;
    const { start, end } = originalSpan(normal, match.index, at);
    starts[decoded.length] = start;
    ends[decoded.length] = end;
    decoded += character;
  }
  if (at === 0) return normal;
  keep(text.length);
  return { text: decoded, places: { starts, ends } };
}

const escape =
  /%[0-9a-f]{2}|&#x0{0,4}[0-9a-f]{1,5};|&#0{0,4}\d{1,6};|&[a-z]{2,6};|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[nrt/"]/gi;

/** One character of ASCII after `replaceLookAlikes`; undefined for every other escape. */
function decodeOne(written: string): string | undefined {
  const code = codeOf(written);
  if (code === undefined || code > 0xffff) return undefined;
  if (code === 9 || code === 10 || code === 13) return ' ';
  const seen = mapped(code);
  return seen < 32 || seen > 126 ? undefined : String.fromCharCode(seen);
}

function codeOf(written: string): number | undefined {
  const lower = written.toLowerCase();
  if (lower.startsWith('&#x')) return parseInt(lower.slice(3), 16);
  if (lower.startsWith('&#')) return parseInt(lower.slice(2), 10);
  if (lower.startsWith('&')) return named[lower.slice(1, -1)]?.charCodeAt(0);
  if (lower.startsWith('%')) return parseInt(lower.slice(1), 16);
  if (lower.startsWith('\\u') || lower.startsWith('\\x')) return parseInt(lower.slice(2), 16);
  return escaped[lower.slice(1)]?.charCodeAt(0);
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  commat: '@',
  period: '.',
  nbsp: ' ',
  plus: '+',
  hyphen: '-',
  dash: '-',
  ndash: '-',
  mdash: '-',
  minus: '-',
  sol: '/',
  lowbar: '_',
  colon: ':',
  equals: '=',
  quot: '"',
  apos: "'",
  lpar: '(',
  rpar: ')',
};

const escaped: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t', '/': '/', '"': '"' };

/** Stands for a character that is dropped: NUL is never produced otherwise. */
const dropped = 0;
/** Stands for letters of scripts without spaces and for symbols; it ends every match. */
const other = 0x1;

/** Letters that look like Latin ones. Lower and upper case of Greek and Cyrillic. */
const lookAlikes =
  'АAВBЕEКKМMНHОOРPСCТTХXУYІIЈJЅSԌGаaеeоoрpсcуyхxіiјjѕsԁdһhӏlԛqԝwвbкkмmтtгr' +
  'ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXαaοoρpνvιiκkυuγy';

const isAscii = (text: string): boolean => !/[^\u0000-\u007f]/.test(text);
const isTag = (code: number): boolean => code >= 0xe0000 && code <= 0xe0fff;

/** The map of each code point of the first two planes that a text had so far. */
const known = new Uint16Array(0x2_0000).fill(0xffff);
for (let n = 0; n < 128; n++) known[n] = n;
for (let n = 0; n < lookAlikes.length; n += 2) known[lookAlikes.charCodeAt(n)] = lookAlikes.charCodeAt(n + 1);

function mapped(code: number): number {
  if (code >= known.length) return isTag(code) ? dropped : other;
  const before = known[code] ?? other;
  return before === 0xffff ? (known[code] = mapOf(code)) : before;
}

function mapOf(code: number): number {
  const character = String.fromCodePoint(code);
  if (/^[\p{Default_Ignorable_Code_Point}\p{Mn}\u200e\u200f\u061c]$/u.test(character)) return dropped;
  if (/^\p{Nd}$/u.test(character)) return 48 + digitOf(code);
  if (/^[\p{Zs}\p{Zl}\p{Zp}\u0085]$/u.test(character)) return 32;
  if (/^[\p{Pd}\u2212\u2043\u02d7]$/u.test(character)) return 45;
  if (/^[\u2018\u2019\u02bc]$/.test(character)) return 39;
  if (/^[\u3002\uff61\u2024\u06d4\u00b7\u30fb\u2022\u2219]$/u.test(character)) return 46;
  const compatible = character.normalize('NFKC');
  if (compatible.length === 1 && compatible.charCodeAt(0) < 128) return compatible.charCodeAt(0);
  if (code > 0xffff || isWithoutSpaces(code)) return other;
  return /^[\p{L}\p{N}]$/u.test(character) ? code : other;
}

/** The digits of a script are ten code points in a row, from zero. */
function digitOf(code: number): number {
  let zero = code;
  while (code - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--;
  // Mathematical digits are five rows without a gap.
  return code >= 0x1d7ce && code <= 0x1d7ff ? (code - 0x1d7ce) % 10 : code - zero;
}

/** Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese letters stand beside a value without a space. */
function isWithoutSpaces(code: number): boolean {
  return (
    (code >= 0x0e00 && code <= 0x0eff) ||
    (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7ff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff66 && code <= 0xffdc)
  );
}

function decodeUtf16(codes: Uint16Array): string {
  return Buffer.from(codes.buffer, codes.byteOffset, codes.byteLength).toString('utf16le');
}
