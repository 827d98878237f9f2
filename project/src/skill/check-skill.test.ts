import { describe, expect, test } from 'vitest';
import { filesFromMap } from '../agent-project/files.ts';
import { checkSkill } from './check-skill.ts';
import { skillLimits } from './limits.ts';

const front = '---\nname: courtesy\ndescription: Greets people well.\n---\n';
const check = (files: Record<string, string | Uint8Array>, name?: string) =>
  checkSkill(filesFromMap(new Map(Object.entries({ 'SKILL.md': `${front}# Courtesy\n`, ...files }))), name);
const faults = (files: Record<string, string | Uint8Array>, name?: string) =>
  check(files, name).findings.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`);

test('a folder with a SKILL.md is a skill, with scripts, texts of any language and binary files', () => {
  const { config, findings } = check(
    {
      'SKILL.md':
        '---\r\nname: courtesy\r\ndescription: Greets.\r\nlicense: MIT\r\nallowed-tools: Read\r\nmetadata:\r\n  version: "1.2.0"\r\n---\r\n# 👩‍❤️‍👨 می‌خواهم שלום \u200f\r\n\r\n---\r\n',
      'scripts/greet.py': 'print("hello")\n',
      'references/names.md': '# Names\n',
      'assets/logo.png': new Uint8Array([0x89, 0x50, 0, 0xff]),
      'assets/latin1.txt': new Uint8Array([0xe9, 0xa0]),
    },
    'courtesy',
  );
  expect(findings).toEqual([]);
  expect(config).toEqual({
    name: 'courtesy',
    description: 'Greets.',
    license: 'MIT',
    'allowed-tools': 'Read',
    metadata: { version: '1.2.0' },
  });
});

test.each<[string, Record<string, string | Uint8Array>, string]>([
  ['no front matter', { 'SKILL.md': '# Courtesy\n' }, 'SKILL.md:1 front_matter SKILL.md does not start with a line'],
  ['an open front matter', { 'SKILL.md': front.slice(0, -4) }, 'SKILL.md:1 front_matter SKILL.md has no second line'],
  ['no description', { 'SKILL.md': '---\nname: courtesy\n---\n' }, 'SKILL.md:2 missing_field'],
  ['an unknown field', { 'SKILL.md': front.replace('---\n', '---\nhooks: {}\n') }, 'SKILL.md:2 unknown_field'],
  ['no UTF-8', { 'SKILL.md': new Uint8Array([0xff, 0xfe, 0x2d]) }, 'SKILL.md:1 not_utf8 SKILL.md is UTF-16'],
  [
    'another name',
    { 'SKILL.md': front.replace('courtesy', 'rudeness') },
    'SKILL.md:2 invalid_value `name` is rudeness',
  ],
  ['a secret file', { '.env': 'A=1\n' }, '.env:1 file_refused .env does not belong in a skill: may hold secrets'],
  ['a way out', { '../evil.md': '' }, '../evil.md:1 unsafe_path'],
  ['a name that hides text', { 'a\u200b.md': '' }, 'a\u200b.md:1 hidden_character U+200B is a space without width'],
])('a folder with %s is refused', (_, files, fault) => {
  const { config, findings } = check(files, 'courtesy');
  expect(config).toBeUndefined();
  expect(findings.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`)).toEqual([
    expect.stringContaining(fault) as string,
  ]);
});

test('a link is refused', () => {
  const list = () => [{ path: 'SKILL.md', size: 9, type: 'other' as const }];
  const { config, findings } = checkSkill({ list, read: () => new Uint8Array() });
  expect([config, findings.map(({ code }) => code)]).toEqual([undefined, expect.arrayContaining(['not_a_file'])]);
});

test('a folder without a SKILL.md says where one is', () => {
  const { findings } = checkSkill(filesFromMap(new Map([['courtesy/SKILL.md', front]])));
  expect(findings).toMatchObject([{ code: 'missing_file', suggestion: 'Push courtesy.' }]);
});

test('a skill past a limit is refused before its files are read', () => {
  const list = (files: number, size: number) => () =>
    Array.from({ length: files }, (_, n) => ({ path: `${n}.md`, size, type: 'file' as const }));
  const read = () => {
    throw new Error('read');
  };
  expect(checkSkill({ list: list(skillLimits.files + 1, 1), read }).findings[0]?.message).toBe(
    'The skill has 1001 files; at most 1000 are accepted',
  );
  expect(checkSkill({ list: list(2, skillLimits.bytes / 2 + 1), read }).findings[0]?.message).toBe(
    'The skill has 10.1 MB; at most 10 MB are accepted',
  );
  const large = 'x'.repeat(skillLimits.skill_md_bytes);
  expect(faults({ 'SKILL.md': front + large })).toEqual([
    expect.stringContaining('SKILL.md:1 file_too_large') as string,
  ]);
});

describe('what a person does not see', () => {
  test.each([
    ['a tag character', '\u{e0041}\u{e0042}'],
    ['a space without width', '\u200b'],
    ['a change of the order of the text', '\u202e'],
    ['a control character', '\u001b'],
    ['an invisible variant', '\u{e0101}'],
    ['the first of a row of invisible characters', '\u200c\u200d\u200c'],
    ['the first of a row of invisible characters', '\ufe00\ufe01\ufe0f\ufe00'],
  ])('is refused in each text: %s', (what, hidden) => {
    const fault = (file: string) => expect.stringContaining(`${file}:2 hidden_character U+`) as string;
    const found = faults({ 'more.md': `\nsay hello${hidden}\n`, 'greet.py': `\n# hello${hidden}\n` });
    expect(found).toEqual([fault('greet.py'), fault('more.md')]);
    expect(found[0]).toContain(what);
  });

  test('has one finding for each line, at most twenty', () => {
    expect(faults({ 'a.txt': '\u200b\u200b x\n'.repeat(50) })).toHaveLength(20);
  });

  test('is found in a long text in time', () => {
    expect(faults({ 'a.txt': '\u200c'.repeat(2) + 'a\u200d'.repeat(100_000) })).toEqual([]);
  });
});

test('a secret is refused in each text, with its line, and not shown', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const found = faults({ 'scripts/call.sh': `#!/bin/sh\ncurl -H "Authorization: token ${secret}"\n` });
  expect(found).toEqual(['scripts/call.sh:2 secret_in_file This looks like a secret']);
});
