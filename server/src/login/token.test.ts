import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { token_lifetime_seconds, tokens } from './token.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

test('a verified token is accepted until it expires, and no longer', async () => {
  const { issue, verify } = tokens(randomBytes(32));
  const whose = { subject: randomUUID(), session_id: randomUUID(), kind: 'user' as const };
  const token = await issue(whose);
  for (const _ of [1, 2]) expect(await verify(token)).toEqual(whose);
  vi.advanceTimersByTime((token_lifetime_seconds - 1) * 1000);
  expect(await verify(token)).toEqual(whose);
  vi.advanceTimersByTime(1000);
  expect(await verify(token)).toBeUndefined();
});

test('a token verified under one key is unknown under another', async () => {
  const token = await tokens(randomBytes(32)).issue({ subject: randomUUID(), session_id: randomUUID(), kind: 'user' });
  expect(await tokens(randomBytes(32)).verify(token)).toBeUndefined();
});
