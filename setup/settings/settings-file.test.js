// @ts-check
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { applySettings, readSettings, writeSettings } from './settings-file.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gantry-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a key is replaced in its place and every other line stays', () => {
  const before = '# mine\nBASE_IMAGE=old\n\nBASE_URL=http://a\n';
  expect(applySettings(before, { BASE_IMAGE: 'new', BUILD_CA_FILE: '/ca.pem' })).toBe(
    '# mine\nBASE_IMAGE=new\n\nBASE_URL=http://a\nBUILD_CA_FILE=/ca.pem\n',
  );
});

test('the file is for its owner only, and writing the same again changes nothing', () => {
  const path = join(folder, 'gantry', 'server.env');
  expect(writeSettings(path, { BUILD_INDEX_URL: 'https://user:password@index/simple?a=b' })).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readSettings(path).get('BUILD_INDEX_URL')).toBe('https://user:password@index/simple?a=b');

  const written = statSync(path).mtimeMs;
  expect(writeSettings(path, { BUILD_INDEX_URL: 'https://user:password@index/simple?a=b' })).toBe(false);
  expect(statSync(path).mtimeMs).toBe(written);
});

test('a value with a line break cannot smuggle in another setting', () => {
  const path = join(folder, 'server.env');
  writeSettings(path, { BASE_IMAGE: 'a' });
  expect(() => writeSettings(path, { BASE_IMAGE: 'a\nSECRET_KEY=known' })).toThrow('line break');
  expect(readFileSync(path, 'utf8')).toBe('BASE_IMAGE=a\n');
});

test('no file means no settings', () => {
  expect(readSettings(join(folder, 'absent.env')).size).toBe(0);
});
