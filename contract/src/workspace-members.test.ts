import { expect, test } from 'vitest';
import { filesFromMap } from './agent-project/files.ts';
import { workspaceMembers } from './workspace-members.ts';

const folders = ['apps/api', 'apps/web', 'libs/deep/words', 'libs/words', 'other'];
const members = (workspace: string, more: Record<string, string> = {}) =>
  workspaceMembers(
    filesFromMap(
      new Map(
        Object.entries({
          ...Object.fromEntries(folders.map((folder) => [`${folder}/pyproject.toml`, ''])),
          'apps/notes/README.md': '',
          'pyproject.toml': `[tool.uv.workspace]\n${workspace}\n`,
          ...more,
        }),
      ),
    ),
  );

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

test('a pyproject.toml that cannot be read, or none, has no members', () => {
  expect(members('', { 'pyproject.toml': '[tool.uv.workspace' })).toEqual([]);
  expect(workspaceMembers(filesFromMap(new Map([['apps/pyproject.toml', '']])))).toEqual([]);
});

test('hostile patterns over many folders cost little', () => {
  const many = Object.fromEntries(
    Array.from({ length: 5000 }, (_, at) => [`${'a/'.repeat(14)}${at}/pyproject.toml`, '']),
  );
  const patterns = JSON.stringify(Array.from({ length: 500 }, () => '**/*a*a*/**/*a*/**/**/b'));
  const start = performance.now();
  expect(members(`members = ${patterns}`, many)).toEqual([]);
  expect(performance.now() - start).toBeLessThan(5_000);
});
