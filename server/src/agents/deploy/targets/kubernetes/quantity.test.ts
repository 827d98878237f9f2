import { expect, test } from 'vitest';
import { memoryBytes } from './quantity.ts';

test('amounts of memory as clusters write them', () => {
  expect(['12951632Ki', '16Gi', '1e9', '1.5G', '512M', '128974848000m', undefined].map(memoryBytes)).toEqual([
    12951632 * 1024,
    16 * 1024 ** 3,
    1e9,
    1.5e9,
    512e6,
    128974848,
    0,
  ]);
});

test('another text is no amount', () => {
  for (const text of ['', 'much', '16 Gi', '-1', '1mi']) expect(() => memoryBytes(text)).toThrow('no amount of memory');
});
