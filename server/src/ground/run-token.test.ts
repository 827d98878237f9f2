import { randomBytes } from 'node:crypto';
import { SignJWT, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { readRunToken, signRunToken, type RunClaims } from './run-token.ts';

const key = randomBytes(32);
const claims: RunClaims = {
  agent_id: 'a',
  revision_id: 'r',
  key_id: 'k',
  run_id: 'run',
  root_run_id: 'root',
  caller_id: 'ada',
  chain: [{ id: '0198c4c2-0000-7000-8000-00000000000b', ref: 'agents/b' }],
  trace_id: '0af7651916cd43dd8448eb211c80319c',
  hidden: { inputs: true, outputs: false },
};
const day_ms = 86_400_000;

test('a token has its claims, for a day, and is a JWT', async () => {
  const now = Date.now();
  const token = signRunToken(key, claims, now);
  expect(readRunToken(key, token, now + day_ms - 1000)).toEqual({ claims, is_expired: false });
  expect(readRunToken(key, token, now + day_ms)).toEqual({ claims, is_expired: true });
  expect((await jwtVerify(token, key)).payload).toMatchObject(claims);
});

test('a changed character anywhere, another key and other text are not accepted', () => {
  const token = signRunToken(key, claims);
  for (let at = 0; at < token.length; at++) {
    const other = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    expect(readRunToken(key, other)).toBeUndefined();
  }
  expect(readRunToken(randomBytes(32), token)).toBeUndefined();
  for (const text of ['', '.', '..', 'a.b.c', token.slice(0, -1), `${token}, ${token}`])
    expect(readRunToken(key, text)).toBeUndefined();
});

test('a token of another form is not accepted, even under the same key', async () => {
  for (const typ of ['JWT', 'caller+jwt']) {
    const other = await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256', typ }).sign(key);
    expect(readRunToken(key, other)).toBeUndefined();
  }
});
