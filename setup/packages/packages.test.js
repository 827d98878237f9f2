// @ts-check
import { expect, test } from 'vitest';
import { isInstalled } from './packages.js';

const locked = {
  packages: {
    '': { version: '0.1.0' },
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/@own/part': { link: true },
    'node_modules/for-another-platform': { version: '2.0.0', integrity: 'sha512-b', optional: true },
  },
};
const installed = {
  packages: { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' }, 'node_modules/@own/part': { link: true } },
};

test('packages that fit the lock file are not installed again, whatever other platforms would need', () => {
  expect(isInstalled(locked, installed)).toBe(true);
});

test('a release of npm needs no package that only work on the clone needs', () => {
  const more = { packages: { ...locked.packages, 'node_modules/a-tool': { version: '1.0.0', dev: true } } };
  expect(isInstalled(more, installed)).toBe(false);
  expect(isInstalled(more, installed, { withoutTools: true })).toBe(true);
});

test('a package that is missing is installed', () => {
  expect(isInstalled(locked, { packages: { 'node_modules/@own/part': { link: true } } })).toBe(false);
});

test('a package whose version or content differs is installed again', () => {
  for (const other of [
    { version: '1.0.1', integrity: 'sha512-a' },
    { version: '1.0.0', integrity: 'sha512-c' },
  ]) {
    expect(isInstalled(locked, { packages: { ...installed.packages, 'node_modules/a': other } })).toBe(false);
  }
});

test('an optional package that is there in another version is installed again', () => {
  const other = { 'node_modules/for-another-platform': { version: '1.9.0', integrity: 'sha512-b' } };
  expect(isInstalled(locked, { packages: { ...installed.packages, ...other } })).toBe(false);
});

test('a clone without packages, or without a lock file, is installed', () => {
  expect(isInstalled(locked, undefined)).toBe(false);
  expect(isInstalled(undefined, installed)).toBe(false);
});
