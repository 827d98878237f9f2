// The tests that stand beside rules. The machine of the author and the service run the same ones.
import type { CallPolicy, RuleTest } from './config.ts';
import { decideCall, policiesFor, type CallDecision, type CallPolicies } from './decide-call.ts';
import type { CallFacts } from './expression.ts';

export type Decide = (policies: CallPolicies, facts: CallFacts) => Promise<CallDecision> | CallDecision;

export interface RuleTestResult {
  /** JSON pointer of the test in its file. */
  pointer: string;
  tool: string;
  passed: boolean;
  /** What the rules decide, and what the test wants. */
  message: string;
}

/** `at` is the pointer of the policy in its file. */
export async function runRuleTests(
  { rule_tests = [], ...policy }: CallPolicy,
  { at, server, decide = decideCall }: { at: string; server: string; decide?: Decide },
): Promise<RuleTestResult[]> {
  const results: RuleTestResult[] = [];
  for (const [index, test] of rule_tests.entries()) {
    const { tool } = test.call;
    const decision = await decide(policiesFor(tool, [{ of: 'here', ...policy }]), factsOf(test, server));
    results.push({ pointer: `${at}/rule_tests/${index}`, tool, ...judge(test, decision) });
  }
  return results;
}

function judge(
  { call, refuses, waits }: RuleTest,
  { refused, waits: isWaiting }: CallDecision,
): Pick<RuleTestResult, 'passed' | 'message'> {
  const by = refused?.fault === undefined ? '' : `, which could not be evaluated: ${refused.fault}`;
  const is = refused === undefined ? outcome(isWaiting !== undefined) : `refused by ${refused.name}${by}`;
  const wanted = refuses === undefined ? outcome(waits === true) : `refused by ${refuses}`;
  // A rule that fails by mistake refuses too, and that is no proof of the rule.
  const passed = is === wanted && refused?.fault === undefined;
  return { passed, message: `this call of ${call.tool} is ${is}${passed ? '' : `, and the test wants it ${wanted}`}` };
}

const outcome = (waits: boolean) => (waits ? 'left to a person' : 'allowed');

function factsOf({ call }: RuleTest, server: string): CallFacts {
  const { tool, args, now, run } = call;
  const agent = call.agent ?? { name: 'an-agent', team: 'a-team' };
  const caller = call.caller ?? { kind: 'user', name: 'someone@example.com', teams: [] };
  return {
    args,
    tool,
    server,
    agent,
    caller,
    now: now === undefined ? new Date() : new Date(now),
    run: { private_data: false, outside_text: false, ...run },
  };
}
