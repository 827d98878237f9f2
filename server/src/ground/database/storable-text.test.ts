import { expect, test } from 'vitest';
import { storableJson } from './storable-text.ts';

test('a NUL becomes U+FFFD, and the written-out escape of one stays', () => {
  const value = { pattern: String.raw`[^\u0000-\u001f]`, text: 'a\0b', ['k\0']: ['\ud800'] };
  expect(JSON.parse(storableJson(value))).toEqual({
    pattern: String.raw`[^\u0000-\u001f]`,
    text: 'a\ufffdb',
    'k\ufffd': ['\ufffd'],
  });
});
