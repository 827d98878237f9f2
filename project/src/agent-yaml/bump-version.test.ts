import { expect, test } from 'vitest';
import { agentYamlExample } from './example.ts';
import { bumpVersion } from './bump-version.ts';

test.each([
  ['patch', '1.0.1'],
  ['minor', '1.1.0'],
  ['major', '2.0.0'],
] as const)('a %s bump of 1.0.0 gives %s and leaves every other byte alone', (part, version) => {
  expect(bumpVersion(agentYamlExample, part)).toEqual({
    version,
    text: agentYamlExample.replace('version: 1.0.0', `version: ${version}`),
  });
});

test('quotes and comments stay', () => {
  expect(bumpVersion("# first\nversion:   '1.9.9' # keep\n", 'patch')?.text).toBe(
    "# first\nversion:   '1.9.10' # keep\n",
  );
});

test('windows line ends and a version in a flow map stay as they are', () => {
  expect(bumpVersion('{name: x, version: 0.1.2}\r\n', 'minor')?.text).toBe('{name: x, version: 0.2.0}\r\n');
});

test.each([
  'name: x\n',
  'version: 1.10\n',
  'version: next\n',
  'version: [1.0.0]\n',
  '',
  '[',
  'version: 1.0.999999\n',
  '- '.repeat(50_000),
])('without a version to raise (%.20j) there is none', (text) => {
  expect(bumpVersion(text, 'patch')).toBeUndefined();
});
