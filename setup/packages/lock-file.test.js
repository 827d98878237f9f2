// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** @typedef {{ integrity?: string, resolved?: string, link?: boolean, hasInstallScript?: boolean }} Locked */
/** @param {string} name @returns {unknown} */
const read = (name) => JSON.parse(readFileSync(join(import.meta.dirname, '../..', name), 'utf8'));
const { packages } = /** @type {{ packages: Record<string, Locked> }} */ (read('package-lock.json'));
const { allowScripts } = /** @type {{ allowScripts: Record<string, boolean> }} */ (read('package.json'));
const fetched = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);

test('every package that is fetched is pinned by its hash, and by no address', () => {
  expect(fetched.length).toBeGreaterThan(100);
  expect(fetched.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual([]);
  expect(fetched.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('of every package that has a script to run at installation it is said whether it may', () => {
  const scripted = fetched.filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = scripted.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(names).toContain('bcrypt');
  expect(names.filter((name) => !(name in allowScripts))).toEqual([]);
});
