import { expect, test } from 'vitest';
import { waitingCalls } from './waiting-calls.ts';

const of = (user: string, agent = 'a') => ({
  agent: { id: agent, ref: `agents/${agent}` as const },
  user: { id: user },
});
const small = new Uint8Array(1);
const full = expect.objectContaining({ code: 'too_many_runs', status: 429, retry_after_seconds: 5 });

test('at most 256 calls wait for an agent, half of them from one caller', () => {
  const waiting = waitingCalls();
  const leaves = Array.from({ length: 128 }, () => waiting.enter(of('ada'), small));
  expect(() => waiting.enter(of('ada'), small)).toThrow(full);
  waiting.enter(of('ada', 'b'), small);
  for (let n = 0; n < 128; n++) waiting.enter(of('max'), small);
  expect(() => waiting.enter(of('root'), small)).toThrow(full);
  leaves[0]?.();
  waiting.enter(of('root'), small);
  expect(() => waiting.enter(of('root'), small)).toThrow(full);
});

test('the bodies of the calls that wait for an agent have at most 64 MiB', () => {
  const waiting = waitingCalls();
  const half = new Uint8Array(32 * 1024 * 1024);
  const leave = waiting.enter(of('ada'), half);
  waiting.enter(of('max'), half);
  expect(() => waiting.enter(of('max'), small)).toThrow(full);
  leave();
  waiting.enter(of('max'), small);
});
