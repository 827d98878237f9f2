import { describe, expect, test } from 'vitest';
import { poetryVersions } from './poetry-versions.ts';
import { readPython, satisfies } from './python-version.ts';
import { normaliseVersion } from './version.ts';

test.each([
  ['1', '1'],
  ['v1.02.0', '1.2.0'],
  ['1.0-alpha.1', '1.0a1'],
  ['1.0.preview2', '1.0rc2'],
  ['1.0c1', '1.0rc1'],
  ['1.0-1', '1.0.post1'],
  ['1.0.rev', '1.0.post0'],
  ['1.0.DEV3', '1.0.dev3'],
  ['0!1.0', '1.0'],
  ['2!1.0rc1.post2.dev3+Ubuntu-1_x', '2!1.0rc1.post2.dev3+ubuntu.1.x'],
  [' 1.0\n', '1.0'],
])('the version %j is %j', (written, version) => {
  expect(normaliseVersion(written)).toBe(version);
});

test.each(['', 'x', '1.', '1..2', '1/../..', '../1', '1.0\nName: evil', '1.0+', '1 0', `1${'.0'.repeat(200)}`])(
  '%j is not a version',
  (written) => {
    expect(normaliseVersion(written)).toBeUndefined();
  },
);

test.each([
  ['^1.2.3', '>=1.2.3,<2'],
  ['^1.2', '>=1.2,<2'],
  ['^1', '>=1,<2'],
  ['^0.2.3', '>=0.2.3,<0.3'],
  ['^0.0.3', '>=0.0.3,<0.0.4'],
  ['^0.0', '>=0.0,<0.1'],
  ['^0', '>=0,<1'],
  ['^1.2.3rc1', '>=1.2.3rc1,<2'],
  ['~1.2.3', '>=1.2.3,<1.3'],
  ['~1.2', '>=1.2,<1.3'],
  ['~1', '>=1,<2'],
  ['~=1.2', '~=1.2'],
  ['1.2.3', '==1.2.3'],
  ['=1.2', '==1.2'],
  ['1.*', '==1.*'],
  ['*', ''],
  ['', ''],
  ['>=1.0 <2.0', '>=1.0,<2.0'],
  ['>= 1.0, < 2.0, != 1.5', '>=1.0,<2.0,!=1.5'],
])("Poetry's %j is %j", (written, versions) => {
  expect(poetryVersions(written)).toEqual([versions]);
});

test("Poetry's alternatives stay apart, and unreadable versions give none", () => {
  expect(poetryVersions('^2.7 || >=3.9,<4')).toEqual(['>=2.7,<3', '>=3.9,<4']);
  expect(poetryVersions('latest')).toBeUndefined();
  expect(poetryVersions('^1.2 || @')).toBeUndefined();
});

describe('Python', () => {
  test.each([
    ['3.11.2', '>=3.11', true],
    ['3.11.2', '>=3.11,<4.0', true],
    ['3.11.2', '>=3.12', false],
    ['3.11.2', '>=3.11.4', false],
    ['3.11', '>=3.11.4', true],
    ['3.11', '<3.11', false],
    ['3.11.2', '>3.11', true],
    ['3.11', '<=3.11', true],
    ['3.11.2', '<=3.11', false],
    ['3.11.2', '==3.11.*', true],
    ['3.12.0', '==3.11.*', false],
    ['3.11.2', '!=3.11.*', false],
    ['3.11.2', '~=3.9', true],
    ['3.11.2', '~=3.11.0', true],
    ['3.12.0', '~=3.11.0', false],
    ['3.11', '>=3.9,<3.9.7 || >3.9.7,<3.12', true],
    ['3.9.7', '>=3.9,<3.9.7 || >3.9.7,<3.12', false],
    ['3.11', '', true],
    ['3.11', 'three', false],
    ['3.11', '>=3.11,three', false],
  ])('%s meets %j: %s', (python, specifier, isMet) => {
    expect(satisfies(python, specifier)).toBe(isMet);
  });

  test('unreadable versions give none', () => {
    expect(readPython('>=3.11 || three')).toBeUndefined();
    expect(readPython('===abc')).toBeUndefined();
  });
});
