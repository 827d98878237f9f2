import { decodeJwt } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { callerIdentity } from './caller-identity.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const ada: Parameters<typeof callerIdentity>[2] = {
  id: 'u-1',
  kind: 'user' as const,
  label: 'ada@example.com',
  memberships: [{ team_id: 't-1', team: 'ml', role: 'contributor' }],
};
const ask = async (caller: Parameters<typeof callerIdentity>[2], ref = 'agents/greeter@1.0.0', secret = 'a secret') =>
  await callerIdentity(secret, ref, caller);

test('successive calls share one proof, which is valid for at least half a minute more', async () => {
  const first = await ask(ada);
  vi.advanceTimersByTime(29_000);
  const second = await ask(ada);
  expect(second).toBe(first);
  vi.advanceTimersByTime(2000);
  const third = await ask(ada);
  expect(decodeJwt(third).exp).toBeGreaterThan(Date.now() / 1000 + 30);
  expect(third).not.toBe(first);
});

test('the agent gets the current caller: another team, address, agent or revision has another proof', async () => {
  const proofs = await Promise.all([
    ask(ada),
    ask({ ...ada, memberships: [] }),
    ask({ ...ada, kind: 'user' as const, label: 'lovelace@example.com' }),
    ask(ada, 'agents/other@1.0.0'),
    ask(ada, 'agents/greeter@1.0.0', 'another secret'),
  ]);
  expect(new Set(proofs).size).toBe(5);
  expect(decodeJwt(proofs[1] ?? '')['teams']).toEqual([]);
});
