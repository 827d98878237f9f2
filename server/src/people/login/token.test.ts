import { randomBytes, randomUUID } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { token_lifetime_seconds, tokens } from './token.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

test('a verified token is accepted until it expires, and no longer', async () => {
  const { issue, verify } = tokens(randomBytes(32));
  const whose = { subject: randomUUID(), session_id: randomUUID(), kind: 'user', way: 'bearer' } as const;
  const token = await issue(whose);
  for (const _ of [1, 2]) expect(await verify(token, 'bearer')).toEqual(whose);
  vi.advanceTimersByTime((token_lifetime_seconds - 1) * 1000);
  expect(await verify(token, 'bearer')).toEqual(whose);
  vi.advanceTimersByTime(1000);
  expect(await verify(token, 'bearer')).toBeUndefined();
});

test('a token that names no way to send it, as earlier versions made them, is refused', async () => {
  const secret = randomBytes(32);
  const { issue, verify } = tokens(secret);
  const whose = { subject: randomUUID(), session_id: randomUUID(), kind: 'user', way: 'bearer' } as const;
  const { way, ...claims } = decodeJwt(await issue(whose));
  const sign = async (payload: object) =>
    await new SignJWT({ ...payload }).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' }).sign(secret);
  expect(await verify(await sign({ ...claims, way }), 'bearer')).toEqual(whose);
  const without = await sign(claims);
  expect([await verify(without, 'bearer'), await verify(without, 'cookie')]).toEqual([undefined, undefined]);
});

test('a token verified under one key is unknown under another', async () => {
  const whose = { subject: randomUUID(), session_id: randomUUID(), kind: 'user', way: 'bearer' } as const;
  const token = await tokens(randomBytes(32)).issue(whose);
  expect(await tokens(randomBytes(32)).verify(token, 'bearer')).toBeUndefined();
});
