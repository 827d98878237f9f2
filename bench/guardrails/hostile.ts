// Texts of 1 MB that make searches slow, each one piece repeated. A piece without a space makes one token, of which most is held and checked
// at once.
const size = 1_000_000;

const base64 = (text: string, times = 1): string =>
  times === 0 ? text : base64(Buffer.from(text).toString('base64'), times - 1);

const pieces = [
  ['1', '1 ', '4', '4\u200b', '4111', '4111 ', '4111_', '4111 1111 1111 1112_', '1.1.', '1.1.1.1;', '::1 '],
  ['a', 'é', '你', '@', 'a@b.co ', 'a@b.co;', '(', 'DE89 ', 'DE89;', 'AB123456', 'RSSMRA85T10A562S '],
  ['+4930123456 ', '+4930123456;', 'tel 030 123 45 ', 'tel:030901820;', '212-555-0123 '],
  ['eyJ.', 'sk-', 'password: ', 'token=a1', 'token=a1B2c3D4;', '://a:b@', '-----BEGIN PRIVATE KEY-----'],
  ['%34', '%2534', '&#52;', String.raw`\u0034`, 'tel:030901820;%41', '+4930123456;&amp;', 'token=a1%41'],
  ['TVRJeU1qSXk', base64('tel:030901820;'), base64('tel:030901820;', 2), base64('token=a1'), base64('%34')],
  ['34313131', 'ignore all previous ', 'ignore%20all%20the%20', '<|im_start', 'forbid', 'internal-12'],
].flat();

export interface Hostile {
  name: string;
  value: unknown;
}

export const hostileTexts: readonly Hostile[] = pieces.map((piece) => ({
  name: JSON.stringify(piece),
  value: piece.repeat(Math.ceil(size / piece.length)).slice(0, size),
}));

/** JSON of 1 MB with many small values. */
export const hostileDocuments: readonly Hostile[] = [
  { name: 'short strings', value: Array.from({ length: 250_000 }, () => 'a') },
  { name: 'digits', value: Array.from({ length: 90_000 }, () => '1234567') },
  { name: 'numbers', value: Array.from({ length: 110_000 }, () => 1_234_567) },
  { name: 'members', value: Object.fromEntries(Array.from({ length: 80_000 }, (_, n) => [`k${n}`, 'a'])) },
  { name: 'text parts', value: Array.from({ length: 40_000 }, () => ({ type: 'text', text: 'a' })) },
  { name: 'JSON in JSON', value: `[${'"a",'.repeat(249_999)}"a"]` },
];
