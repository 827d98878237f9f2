// `svc server set` with the service's own program, which has the rules of a start.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { freshHome, runSvc, type Ran } from '../testing/run-svc.ts';

let home: string;
beforeEach(() => (home = freshHome()));

const file = (): string => path.join(home, '.config/gantry/server.env');
const svc = async (words: string, stdin = ''): Promise<Ran> => await runSvc(words.split(' '), { home, stdin });

test('a setting is checked as a start checks it, and written beside the other lines, for its owner only', async () => {
  mkdirSync(path.dirname(file()), { recursive: true });
  writeFileSync(file(), '# mine\nPORT=4999\n');
  const set = await svc('server set OUTBOUND_PRIVATE_HOSTS+=127.0.0.1:1');
  expect(set).toMatchObject({ exit: 0, stdout: expect.stringContaining('OUTBOUND_PRIVATE_HOSTS is 127.0.0.1:1') });
  await svc('server set OUTBOUND_PRIVATE_HOSTS+=10.0.0.1:80');
  expect(readFileSync(file(), 'utf8')).toBe('# mine\nPORT=4999\nOUTBOUND_PRIVATE_HOSTS=127.0.0.1:1,10.0.0.1:80\n');
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  await svc('server set PORT=');
  expect(readFileSync(file(), 'utf8')).toBe('# mine\nOUTBOUND_PRIVATE_HOSTS=127.0.0.1:1,10.0.0.1:80\n');
});

test('an unknown name and a value that a start refuses are refused, and the file stays as it is', async () => {
  for (const [words, said] of [
    ['server set START_DEADLINE=9', 'There is no setting START_DEADLINE. Did you mean START_DEADLINE_SECONDS?'],
    ['server set START_DEADLINE_SECONDS=soon', 'START_DEADLINE_SECONDS: '],
    ['server set MIGRATION_DATABASE_URL=postgres://x/y', 'is set without DATABASE_URL'],
    ['server set START_DEADLINE_SECONDS', 'The value of START_DEADLINE_SECONDS is missing'],
    ['server set AUDIT_PUSH_TOKEN=abc', 'is a secret'],
  ] as const) {
    const { exit, stderr } = await svc(words);
    expect([words, stderr]).toEqual([words, expect.stringContaining(said)]);
    expect(exit).not.toBe(0);
    expect(stderr).not.toMatch(/\.ts:\d/);
  }
  expect(() => readFileSync(file())).toThrow('ENOENT');
});

test('a secret comes from stdin, and no list shows it', async () => {
  expect((await svc('server set METRICS_TOKEN', 'a-long-token-for-the-metrics-of-this-test\n')).exit).toBe(0);
  expect(readFileSync(file(), 'utf8')).toBe('METRICS_TOKEN=a-long-token-for-the-metrics-of-this-test\n');
  for (const words of ['server set', 'server settings', 'server settings --all --json']) {
    const { stdout } = await svc(words);
    expect(stdout).toContain('METRICS_TOKEN');
    expect(stdout).toContain('(set)');
    expect(stdout).not.toContain('a-long-token');
  }
});
