import { expect, test } from 'vitest';
import { parseAgentYaml } from '@gantry/project/agent-yaml.ts';
import { parseAssetConfig } from '@gantry/project/asset-config.ts';
import { decideCall, type OwnedApproval, type OwnedRule } from '@gantry/project/call-rules/decide-call.ts';
import { compileCondition, type CallFacts } from '@gantry/project/call-rules/expression.ts';
import { findingsOf, policiesOfAgent, runAll } from '@gantry/project/call-rules/test-findings.ts';

const facts = (more: Partial<CallFacts> = {}): CallFacts => ({
  args: { amount: 5, to: 'ada@example.com', list: [1, 2] },
  tool: 'transfer',
  server: 'bank',
  agent: { name: 'keeper', team: 'ml' },
  caller: { kind: 'user', name: 'ada@example.com', teams: ['ml'] },
  now: new Date('2026-11-28T03:00:00Z'),
  run: { private_data: true, outside_text: false },
  ...more,
});
const rule = (text: Partial<OwnedRule>): OwnedRule => ({
  of: 'here',
  name: 'small',
  because: 'Small ones only.',
  ...text,
});

test.each([
  ['args.amount <= 100', true],
  ['args.amount + 1.0 > 5.5', true],
  ['args.to.endsWith("@example.com") && "ml" in caller.teams', true],
  ['args.list.all(x, x < 2)', false],
  ['has(args.cc)', false],
  ['args.to.matches("^[a-z]+@")', true],
  ['agent.team == "ml" && server == "bank" && tool == "transfer"', true],
  ['now.getHours() < 5', true],
  ['run.private_data && !run.outside_text', true],
])('%s is %s', (text, expected) => {
  const compiled = compileCondition(text);
  expect('condition' in compiled && compiled.condition(facts())).toBe(expected);
});

test.each([
  ['arg.amount > 1', 'Unknown variable: arg (character 1)'],
  ['args.amount >', 'Unexpected token: EOF (character 14)'],
  ['"yes"', 'is a string, and no condition'],
  ['caller.team == "ml"', 'team'],
])('%s is refused when it is compiled', (text, expected) => {
  const compiled = compileCondition(text);
  expect('fault' in compiled && compiled.fault).toContain(expected);
});

test.each([
  [{ allow: 'args.amount <= 100' }, {}],
  [{ allow: 'args.amount > 100' }, { name: 'small', because: 'Small ones only.' }],
  [{ deny: 'args.amount > 100' }, {}],
  [{ deny: 'args.amount <= 100' }, { name: 'small' }],
  // What cannot be evaluated refuses, for either kind of rule.
  [{ deny: 'args.missing > 100' }, { name: 'small', fault: 'No such key: missing (character 6)' }],
  [{ allow: 'args.to > 100' }, { name: 'small' }],
  [{ allow: 'args.to' }, { name: 'small', fault: 'its value is neither true nor false' }],
  [{ deny: 'args.__proto__ == null' }, { name: 'small' }],
  [{ deny: 'has(args.constructor)' }, {}],
])('%o decides %o', (text, refused) => {
  const decision = decideCall({ rules: [rule(text)], approve: [] }, facts());
  if ('name' in refused) expect(decision.refused).toMatchObject(refused);
  else expect(decision).toEqual({});
});

test.each([
  ['long', 'x'.repeat(2001), 'has more than 2000 characters'],
  ['deep', '('.repeat(400), 'Exceeded maxDepth (50)'],
  ['wide', `1 == 1${' && 1 == 1'.repeat(190)}`, 'Exceeded maxAstNodes (500)'],
])('a condition that is too %s is refused when it is compiled', (_, text, expected) => {
  const compiled = compileCondition(text);
  expect('fault' in compiled && compiled.fault).toContain(expected);
});

test('of several entries that want a person, the strictest counts; a condition that cannot be evaluated wants one', () => {
  const decide = (approve: object[]) => decideCall({ rules: [], approve: approve as OwnedApproval[] }, facts());
  expect(decide([])).toEqual({});
  expect(decide([{ of: 'a', when: 'args.amount > 100' }])).toEqual({});
  expect(decide([{ of: 'a', when: 'args.missing > 100' }])).toEqual({
    waits: { of: ['a'], by_other: false, hours: 24 },
  });
  expect(decide([{ of: 'a' }, { of: 'b', when: 'args.amount > 1', by_other: true, hours: 2 }])).toEqual({
    waits: { of: ['a', 'b'], by_other: true, hours: 2 },
  });
});

const agent = (entry: string) =>
  `name: a\nversion: 1.0.0\nteam: ml\nframework: crewai\nmcp_servers:\n  - ref: mcp/bank\n${entry}`;
const faults = (entry: string) =>
  parseAgentYaml(agent(entry)).findings.map(({ line, pointer, message }) => ({ line, pointer, message }));

test('a condition that cannot be compiled is a fault at its line', () => {
  expect(
    faults('    rules:\n      - name: small\n        because: Small ones.\n        allow: arg.amount < 5\n'),
  ).toEqual([
    {
      line: 10,
      pointer: '/mcp_servers/0/rules/0/allow',
      message: '`mcp_servers[0].rules[0].allow` is no CEL condition: Unknown variable: arg (character 1)',
    },
  ]);
});

test('a rule needs one of allow and deny, a reason, and a name of its own', () => {
  expect(faults('    rules:\n      - {name: small, because: Small.}\n')).toMatchObject([
    { message: expect.stringContaining('needs `allow` or `deny`') as string },
  ]);
  expect(faults('    rules:\n      - {name: small, allow: "true"}\n')).toMatchObject([
    { pointer: '/mcp_servers/0/rules/0/because' },
  ]);
  const two = '{name: small, because: Small., allow: "true"}';
  expect(faults(`    rules:\n      - ${two}\n      - ${two.replace('Small', 'Two')}\n`)).toMatchObject([
    { message: expect.stringContaining('is the name of an earlier rule') as string },
  ]);
});

test('the config of a server has the same rules', () => {
  const text =
    'transport: streamable-http\nurl: https://bank.example\nrules:\n  - {name: a, because: B., deny: args.x >}\n';
  const { findings } = parseAssetConfig('mcp-server', text, 'bank.yaml');
  expect(findings).toMatchObject([{ line: 4, pointer: '/rules/0/deny' }]);
});

test('a failing test of rules is a finding at its line; a rule that fails by mistake passes no test', async () => {
  const text = agent(`    rules:
      - {name: small, because: Small ones., tools: [transfer], allow: args.amount <= 100}
    approve: [{tools: [transfer], when: args.amount > 50}]
    rule_tests:
      - {call: {tool: transfer, args: {amount: 70}}, waits: true}
      - {call: {tool: transfer, args: {amount: 5}}, allows: true}
      - {call: {tool: transfer, args: {amount: 500}}, refuses: small}
      - {call: {tool: transfer, args: {}}, refuses: small}
      - {call: {tool: other, args: {amount: 500}}, refuses: small}
`);
  const { config, findings } = parseAgentYaml(text);
  expect(findings).toEqual([]);
  const results = await runAll(policiesOfAgent(config ?? {}));
  expect(results.map(({ passed }) => passed)).toEqual([true, true, true, false, false]);
  expect(findingsOf(results, { text, file: 'agent.yaml' })).toMatchObject([
    { line: 14, message: expect.stringContaining('could not be evaluated: No such key: amount') as string },
    {
      line: 15,
      message: expect.stringContaining('other is allowed, and the test wants it refused by small') as string,
    },
  ]);
});
