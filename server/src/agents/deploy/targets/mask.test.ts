import fc from 'fast-check';
import { expect, test } from 'vitest';
import { masked, maskedJson, maskedPieces } from './mask.ts';

test('a value is masked as it is, line by line, and as JSON and Python print it', () => {
  const value = 'Schlüssel "eins"\nzweite Zeile\n-';
  const mask = masked([value, 'abc']);
  for (const text of [
    'Schlüssel "eins"',
    'zweite Zeile',
    JSON.stringify(value),
    '"Schl\\u00fcssel \\"eins\\"\\nzweite Zeile\\n-"',
  ])
    expect(mask(`key: ${text}!`)).toMatch(/^key: "?\*\*\*"?!$/);
  expect(mask('abc, eins, Zeile')).toBe('abc, eins, Zeile');
  expect(masked(['1234', '12345678'])('12345678 1234')).toBe('*** ***');
  expect(maskedJson({ 'zweite Zeile': [1, null, { a: 'zweite Zeile!' }] }, mask)).toEqual({
    '***': [1, null, { a: '***!' }],
  });
});

test('a value is masked in JSON inside of JSON, and percent-encoded as clients of HTTP log it', () => {
  const value = 'p\\ä s/w\'or"d*(1)+';
  const mask = masked([value]);
  const text = JSON.stringify({ message: JSON.stringify({ password: value }) });
  expect(mask(text)).toBe(JSON.stringify({ message: JSON.stringify({ password: '***' }) }));
  const encoded = {
    javascript: encodeURIComponent(value),
    form: new URLSearchParams({ v: value }).toString().slice(2),
    'quote of Python': 'p%5C%C3%A4%20s/w%27or%22d%2A%281%29%2B',
    'urlencode of Python': 'p%5C%C3%A4+s%2Fw%27or%22d%2A%281%29%2B',
  };
  for (const [kind, form] of Object.entries(encoded))
    expect([kind, mask(`GET /login?password=${form}&next=1`)]).toEqual([kind, 'GET /login?password=***&next=1']);
});

const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 12 });

test('a value is masked wherever a long line is cut, and other text stays complete', () => {
  fc.assert(
    fc.property(
      letters,
      fc.array(fc.oneof(letters, fc.constantFrom('-', '=')), { maxLength: 6 }),
      fc.array(fc.nat(80)),
      (value, rest, cuts) => {
        const line = [...rest, value, '.'].join('');
        const mask = maskedPieces([value]);
        const ends = [...cuts.filter((cut) => cut < line.length).toSorted((a, b) => a - b), line.length];
        const printed = ends.map((end, n) => mask(line.slice(ends[n - 1] ?? 0, end), n === ends.length - 1)).join('');
        expect(printed).toBe(masked([value])(line));
        expect(printed).not.toContain(value);
      },
    ),
  );
});
