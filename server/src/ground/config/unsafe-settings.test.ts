// The service does not start with unsafe settings, and names them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { openFoundation } from '../../foundation.ts';
import { testConfig } from '../../testing/config.ts';

const right = 'q7Xv2mZr9LkT4bWnE8sYh1CdJf6GpUa0';
const nowhere = 'postgresql://somebody@127.0.0.1:1/nothing';
const read = (environment: NodeJS.ProcessEnv) => readConfig({ XDG_CONFIG_HOME: '/nowhere', ...environment });

test.each([
  ['none, beside a database of one’s own', undefined],
  ['an empty one', ''],
  ['a short one', right.slice(1)],
  ['one character again and again', 'a'.repeat(64)],
  ['two characters', 'ab'.repeat(32)],
  ['a word from every example', 'changemechangemechangemechangeme'],
])('with %s for SECRET_KEY nothing starts', (_, secret) => {
  expect(read({ DATABASE_URL: nowhere, SECRET_KEY: right }).secret_key).toBe(right);
  const given: Record<string, string> = secret === undefined ? {} : { SECRET_KEY: secret };
  expect(() => read({ DATABASE_URL: nowhere, ...given })).toThrow('SECRET_KEY');
});

test('separate roles need a shared database and a shared address; all roles together need neither', () => {
  const shared = { DATABASE_URL: nowhere, SECRET_KEY: right, BASE_URL: 'https://gantry.example' };
  const all = ['api', 'worker', 'ingress', 'gateway'];
  expect(read({}).roles).toEqual(all);
  expect(read({ ROLE: 'gateway,ingress,worker,api' }).roles).toEqual(all);
  expect(read({ ...shared, ROLE: 'worker, api' }).roles).toEqual(['worker', 'api']);
  expect(readConfig({ XDG_CONFIG_HOME: '/nowhere', ...shared, ROLE: 'api' }, { role: 'ingress' }).roles).toEqual([
    'ingress',
  ]);
  expect(() => read({ ROLE: 'api' })).toThrow('ROLE needs DATABASE_URL');
  expect(() => read({ ...shared, BASE_URL: '', ROLE: 'api' })).toThrow('ROLE needs BASE_URL');
  for (const ROLE of ['console', 'api,api', 'api worker']) expect(() => read({ ...shared, ROLE })).toThrow('ROLE');
});

test('an empty or truncated key file is refused, and not replaced while data are encrypted with its key', async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'gantry-key-'));
  const open = async () =>
    await openFoundation({ ...testConfig(), database_url: nowhere, secret_key: undefined, data_dir });
  // A valid key file is accepted. Then the database fails, because it does not exist.
  await writeFile(join(data_dir, 'secret-key'), right);
  await expect(open()).rejects.not.toThrow('contains no secret');
  for (const damaged of ['', '\n', right.slice(0, 20)]) {
    await writeFile(join(data_dir, 'secret-key'), damaged);
    await expect(open()).rejects.toThrow('contains no secret of 256 bits');
  }
  await rm(data_dir, { recursive: true });
});
