import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

test('the same value has the same bytes, however its members are ordered', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true, gone: undefined })).toBe(
    '{"a":true,"b":[1,{"c":"x","d":null}]}',
  );
});

test('different text has different bytes, also where it looks like an escape of JSON', () => {
  const texts = ['a\\u0000b', 'a\\ufffdb', 'a\\\\u0000b', 'ab'];
  expect(new Set(texts.map((text) => canonicalJson({ text }))).size).toBe(texts.length);
});

test('what the database cannot keep is replaced, in values and in names', () => {
  expect(JSON.parse(canonicalJson({ 'n\0': 'a\0b', half: '\ud800' }))).toEqual({
    'n\ufffd': 'a\ufffdb',
    half: '\ufffd',
  });
});
