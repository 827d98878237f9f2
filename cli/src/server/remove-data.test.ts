import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { removeData } from './remove-data.ts';

/** The service's files in its data directory, from its own source. */
function madeByServer(): string[] {
  const server = path.join(import.meta.dirname, '../../../server/src');
  const sources = globSync('**/*.ts', { cwd: server, exclude: (name) => name.endsWith('.test.ts') });
  const places = sources.flatMap((file) => [
    ...readFileSync(path.join(server, file), 'utf8').matchAll(/join\((?:\w+\.)?data_dir, '([^']+)'/g),
  ]);
  return [...new Set(places.map(([, name = '']) => name))];
}

test('all files of the service in its data directory are removed, and other files stay', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'gantry-remove-'));
  const config = readConfig({ GANTRY_HOME: home });
  const made = madeByServer();
  expect(made).toContain('arriving');
  for (const name of made) mkdirSync(path.join(config.data_directory, name), { recursive: true });
  removeData(config);
  expect(existsSync(config.data_directory)).toBe(false);

  mkdirSync(path.join(config.data_directory, 'agents'), { recursive: true });
  writeFileSync(path.join(config.data_directory, 'theirs'), '');
  removeData(config);
  expect(existsSync(path.join(config.data_directory, 'theirs'))).toBe(true);
});
