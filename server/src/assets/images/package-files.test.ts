import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseRequirements } from '@gantry/project/requirements.ts';
import { parseLock } from '../workshop/resolve/lock.ts';
import { readPackageFiles } from './package-files.ts';

const wrapper = join(import.meta.dirname, '../../../../wrapper');

test('the lock of the wrapper has hashes, one version of each required package, and no address', async () => {
  const { lock } = await readPackageFiles(join(wrapper, '_svc_wrapper'));
  const names = parseLock(lock).map(({ name }) => name);
  const required = parseRequirements(readFileSync(join(wrapper, 'requirements.in'), 'utf8')).requirements;
  expect(required.map(({ name }) => name)).toContain('uvicorn');
  expect(names).toEqual(expect.arrayContaining(required.map(({ name }) => name)));
  expect(new Set(names).size).toBe(names.length);
  expect(lock).not.toMatch(/:\/\/|--index|--extra/);
});
