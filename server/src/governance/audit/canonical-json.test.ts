import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

test('the same value has the same bytes in any order of members', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true, gone: undefined })).toBe(
    '{"a":true,"b":[1,{"c":"x","d":null}]}',
  );
});

test('different text has different bytes, also if it looks like a JSON escape', () => {
  const texts = ['a\\u0000b', 'a\\ufffdb', 'a\\\\u0000b', 'ab'];
  expect(new Set(texts.map((text) => canonicalJson({ text }))).size).toBe(texts.length);
});

test('characters that the database cannot store are replaced, in values and in names', () => {
  expect(JSON.parse(canonicalJson({ 'n\0': 'a\0b', half: '\ud800' }))).toEqual({
    'n\ufffd': 'a\ufffdb',
    half: '\ufffd',
  });
});
