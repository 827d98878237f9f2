import { expect, test } from 'vitest';
import { parseNpmLock } from './npm-lock.ts';

const registry = 'https://registry.example/';
const integrity = `sha512-${'A'.repeat(86)}==`;
const entry = { version: '1.0.0', resolved: 'https://registry.example/a/-/a-1.0.0.tgz', integrity };
const lockOf = (packages: object, more: object = {}) =>
  JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'hosted' }, ...packages }, ...more });

test('the packages of a lock are named by their folders, also nested ones and aliases', () => {
  const lock = lockOf({
    'node_modules/@a/b': entry,
    'node_modules/@a/b/node_modules/c': entry,
    'node_modules/alias': { ...entry, name: 'real' },
  });
  expect([...parseNpmLock(lock, registry).values()].map(({ name }) => name)).toEqual(['@a/b', 'c', 'real']);
});

test.each([
  ['no JSON', 'x'],
  ['another form', lockOf({}, { lockfileVersion: 2 })],
  ['another host', lockOf({ 'node_modules/a': { ...entry, resolved: 'https://evil.example/a.tgz' } })],
  ['a repository', lockOf({ 'node_modules/a': { ...entry, resolved: 'git+ssh://git@example.com/a.git#1' } })],
  ['a folder', lockOf({ 'node_modules/a': { link: true, resolved: '../a' } })],
  ['a weak hash', lockOf({ 'node_modules/a': { ...entry, integrity: 'sha1-AAAA' } })],
  ['no hash', lockOf({ 'node_modules/a': { ...entry, integrity: undefined } })],
  ['no text', lockOf({ 'node_modules/a': { ...entry, resolved: 'http://[' } })],
])('a lock that names anything but packages of the registry, by version and hash, is refused: %s', (_, lock) => {
  expect(() => parseNpmLock(lock, registry)).toThrow(/cannot be locked/);
});
