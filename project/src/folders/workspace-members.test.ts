import { expect, test } from 'vitest';
import { readToml, tableAt } from '../dependencies/read-toml.ts';
import { membersAmong } from './workspace-members.ts';

const folders = ['apps/api', 'apps/web', 'libs/deep/words', 'libs/words', 'other'];
const members = (text: string, among = folders) => {
  const read = readToml('pyproject.toml', `[tool.uv.workspace]\n${text}\n`, 100_000);
  if ('code' in read) throw new Error(read.message);
  return membersAmong(among, { root: '.', workspace: tableAt(read.value, 'tool', 'uv', 'workspace') });
};

test.each([
  ['members = ["apps/*"]', ['apps/api', 'apps/web']],
  ['members = ["./libs/words/", "apps/w*b"]', ['apps/web', 'libs/words']],
  ['members = ["libs/**"]', ['libs/deep/words', 'libs/words']],
  ['members = ["**/words"]', ['libs/deep/words', 'libs/words']],
  ['members = ["apps/*", "other"]\nexclude = ["apps/web"]', ['apps/api', 'other']],
  ['members = ["../*", "/etc", "apps/[a"]', []],
  ['members = "apps/*"', []],
  ['members = [1, {}]', []],
  ['', []],
])('the members of %j are the folders with a pyproject.toml', (workspace, expected) => {
  expect(members(workspace)).toEqual(expected);
});

test('a project without a workspace has no members, and patterns count from the folder of their file', () => {
  expect(membersAmong(folders, { root: '.', workspace: undefined })).toEqual([]);
  expect(membersAmong(folders, { root: 'libs', workspace: { members: ['*'] } })).toEqual(['libs/words']);
});

test('hostile patterns over many folders cost little', () => {
  const many = Array.from({ length: 5000 }, (_, at) => `${'a/'.repeat(14)}${at}`);
  const patterns = JSON.stringify(Array.from({ length: 500 }, () => '**/*a*a*/**/*a*/**/**/b'));
  const start = performance.now();
  expect(members(`members = ${patterns}`, many)).toEqual([]);
  expect(performance.now() - start).toBeLessThan(5_000);
});
