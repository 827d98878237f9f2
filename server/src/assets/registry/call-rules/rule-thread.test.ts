import { afterAll, expect, test } from 'vitest';
import type { OwnedRule } from '@gantry/project/call-rules/decide-call.ts';
import type { CallFacts } from '@gantry/project/call-rules/expression.ts';
import { ruleThread } from './rule-thread.ts';

const thread = ruleThread();
afterAll(async () => await thread.close());

const facts: CallFacts = {
  args: { amount: 5, list: Array.from({ length: 3000 }, (_, index) => index), text: `${'a'.repeat(60)}!` },
  tool: 'transfer',
  server: 'bank',
  agent: { name: 'keeper', team: 'ml' },
  caller: { kind: 'user', name: 'ada@example.com', teams: [] },
  now: new Date(),
  run: { private_data: false, outside_text: false },
};
const rule = (allow: string): OwnedRule => ({ of: 'mcp-servers/bank', name: 'one', because: 'Because.', allow });
const decide = async (allow: string, charged_to: string, more: Partial<CallFacts> = {}) =>
  await thread.decide({ policies: { rules: [rule(allow)], approve: [] }, facts: { ...facts, ...more }, charged_to });

test('rules are decided with the facts of the call', async () => {
  expect(await decide('args.amount < 10 && now > timestamp("2020-01-01T00:00:00Z")', 'me')).toEqual({});
  expect(await decide('args.amount < 1', 'me')).toEqual({
    refused: { of: 'mcp-servers/bank', name: 'one', because: 'Because.' },
  });
  const hostile = JSON.parse('{"__proto__": {"amount": 1}, "amount": 5}') as Record<string, unknown>;
  expect(await decide('args.amount == 5 && "__proto__" in args', 'me', { args: hostile })).toEqual({});
});

test.each([
  ['walks', 'args.list.all(x, args.list.all(y, args.list.all(z, x + y + z >= 0.0)))', 'took more than'],
  ['patterns', 'args.text.matches("^(a+)+$")', 'took more than'],
  ['lists', `[args.list]${'.map(x, x + x)'.repeat(30)}.size() > 0`, 'too much memory'],
])('hostile %s cost the deadline, are refused, and pause nobody else', async (charged_to, text, fault) => {
  const began = performance.now();
  const { refused } = await decide(text, charged_to);
  expect(refused?.name).toBe('one');
  expect(refused?.fault).toMatch(new RegExp(`${fault}|took more than`));
  expect(performance.now() - began).toBeLessThan(10_000);
  const again = performance.now();
  expect((await decide('true', charged_to)).refused?.fault).toContain('tried again within 10 s');
  expect(performance.now() - again).toBeLessThan(100);
  expect(await decide('args.amount == 5', 'another')).toEqual({});
});
