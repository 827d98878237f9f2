import { chmodSync, existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readConfig, type Config } from '../config.ts';
import { activeTeam, setActiveTeam } from './context.ts';
import { findToken, forgetToken, storeToken } from './tokens.ts';

const here = 'http://127.0.0.1:4480';
const there = 'https://agents.example.com';

function configOf(environment: NodeJS.ProcessEnv = {}): Config {
  return readConfig({ XDG_CONFIG_HOME: mkdtempSync(path.join(tmpdir(), 'gantry-tokens-')), ...environment });
}

const exchanged: string[] = [];
const find = async (config: Config, origin: string) =>
  await findToken(config, origin, async (key) => {
    exchanged.push(key);
    return { access_token: `for ${key}`, expires_at: '2030-01-01T00:15:00.000Z' };
  });

const sessions = (config: Config): string => path.join(config.config_directory, 'sessions.json');

test('only its owner can read a session file, with every umask', async () => {
  const before = process.umask(0);
  try {
    const config = configOf();
    await storeToken(config, here, 'secret', 'file');
    expect(statSync(sessions(config)).mode & 0o777).toBe(0o600);
    expect(statSync(config.config_directory).mode & 0o777).toBe(0o700);
  } finally {
    process.umask(before);
  }
});

test('a token is kept for the server it came from and found for no other', async () => {
  const config = configOf();
  await storeToken(config, here, 'secret', 'file');
  expect(await find(config, here)).toEqual({ token: 'secret', from: 'file' });
  expect(await find(config, there)).toBeUndefined();
});

test('SERVICE_API_TOKEN overrides a stored token', async () => {
  const config = configOf();
  await storeToken(config, here, 'secret', 'file');
  expect(await find({ ...config, api_token: 'given' }, here)).toEqual({
    token: 'given',
    from: 'SERVICE_API_TOKEN',
  });
});

test('SERVICE_API_KEY is exchanged, overrides a stored token, and yields to SERVICE_API_TOKEN', async () => {
  const config = configOf({ SERVICE_API_KEY: 'a key' });
  await storeToken(config, here, 'secret', 'file');
  expect(await find({ ...config, api_token: 'given' }, here)).toMatchObject({ token: 'given' });
  expect(exchanged).toEqual([]);
  expect(await find(config, here)).toEqual({
    token: 'for a key',
    from: 'SERVICE_API_KEY',
    good_until: Date.parse('2030-01-01T00:14:00.000Z'),
  });
  expect(exchanged).toEqual(['a key']);
});

test('a session file that others can read is refused', async () => {
  const config = configOf();
  await storeToken(config, here, 'secret', 'file');
  chmodSync(sessions(config), 0o640);
  await expect(find(config, here)).rejects.toThrow('Other users of this machine can read');
});

test('signing out of one server keeps the session of another, and the last sign-out removes the file', async () => {
  const config = configOf();
  await storeToken(config, here, 'a', 'file');
  await storeToken(config, there, 'b', 'file');
  expect(await forgetToken(config, here)).toBe(true);
  expect(JSON.parse(readFileSync(sessions(config), 'utf8'))).toEqual({ [there]: 'b' });
  expect(await forgetToken(config, there)).toBe(true);
  expect(existsSync(sessions(config))).toBe(false);
  expect(await forgetToken(config, there)).toBe(false);
});

test('the active team is kept per server in a private file', () => {
  const config = configOf();
  setActiveTeam(config, here, 'ml');
  expect(activeTeam(config, here)).toBe('ml');
  expect(activeTeam(config, there)).toBeUndefined();
  expect(statSync(path.join(config.config_directory, 'context.json')).mode & 0o777).toBe(0o600);
  setActiveTeam(config, here, undefined);
  expect(activeTeam(config, here)).toBeUndefined();
});
