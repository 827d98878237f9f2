import { expect, test } from 'vitest';
import { isPrivate } from './private-address.ts';

test.each([
  ['127.0.0.1', true],
  ['10.1.2.3', true],
  ['172.31.255.255', true],
  ['192.168.0.1', true],
  ['169.254.169.254', true],
  ['100.64.0.1', true],
  ['0.0.0.0', true],
  ['255.255.255.255', true],
  ['::', true],
  ['::1', true],
  ['::ffff:10.0.0.1', true],
  ['::127.0.0.1', true],
  ['64:ff9b::a00:1', true],
  ['64:ff9b:1::a00:1', true],
  ['2002:7f00:1::', true],
  ['fd00::1', true],
  ['fe80::1', true],
  ['fec0::1', true],
  ['8.8.8.8', false],
  ['172.32.0.1', false],
  ['::ffff:8.8.8.8', false],
  ['2001:4860:4860::8888', false],
])('%s is private: %s', (address, expected) => {
  expect(isPrivate(address)).toBe(expected);
});
