import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { token_lifetime_seconds, tokens } from './token.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

test('a token that was checked before is believed until it expires, and not a moment longer', async () => {
  const { issue, verify } = tokens(randomBytes(32));
  const [user_id, session_id] = [randomUUID(), randomUUID()];
  const token = await issue(user_id, session_id);
  for (const _ of [1, 2]) expect(await verify(token)).toEqual({ user_id, session_id });
  vi.advanceTimersByTime((token_lifetime_seconds - 1) * 1000);
  expect(await verify(token)).toEqual({ user_id, session_id });
  vi.advanceTimersByTime(1000);
  expect(await verify(token)).toBeUndefined();
});

test('what was checked under one key says nothing to another', async () => {
  const token = await tokens(randomBytes(32)).issue(randomUUID(), randomUUID());
  expect(await tokens(randomBytes(32)).verify(token)).toBeUndefined();
});
