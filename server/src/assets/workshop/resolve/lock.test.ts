import { expect, test } from 'vitest';
import { parseLock, printLock } from './lock.ts';

const digest = 'a'.repeat(64);
const hash = `--hash=sha256:${digest}`;
const good = `idna==3.10 \\\n    ${hash} \\\n    --hash=sha256:${'b'.repeat(64)}\ntorch==2.1.0+cpu ; python_version > '3' \\\n    ${hash}\n`;

test('a lock is read package by package, and printed unchanged', () => {
  expect(parseLock(good)).toEqual([
    { name: 'idna', version: '3.10', hashes: [`sha256:${digest}`, `sha256:${'b'.repeat(64)}`] },
    { name: 'torch', version: '2.1.0+cpu', marker: "python_version > '3'", hashes: [`sha256:${digest}`] },
  ]);
  expect(printLock(parseLock(good))).toBe(good);
  expect(parseLock('')).toEqual([]);
});

test.each([
  'idna @ https://example.com/idna-3.10-py3-none-any.whl',
  'idna @ git+https://example.com/idna',
  'idna @ file:///opt/idna',
  './idna',
  '-e ./idna',
  '--index-url https://example.com/simple',
  '--find-links /tmp',
  '-r other.txt',
  'idna>=3.10',
  'idna==3.*',
  'idna===3.10',
  'idna[all]==3.10',
  'idna==3.10,<4',
  '# a comment',
])('a lock with a line like `%s` is refused with that line, also with a hash', (line) => {
  for (const text of [line, `${line} \\\n    ${hash}`])
    expect(() => parseLock(`${good}${text}\n`)).toThrow(
      expect.objectContaining({ code: 'project_invalid', fields: { lines: [line] } }),
    );
});

test.each(['', '--hash=md5:d41d8cd98f00b204e9800998ecf8427e', '--hash=sha256:abc', `${hash} --index-url https://a`])(
  'a package with `%s` as its hashes is refused',
  (hashes) => {
    expect(() => parseLock(`idna==3.10 ${hashes}\n`)).toThrow(expect.objectContaining({ code: 'project_invalid' }));
  },
);
