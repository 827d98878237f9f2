// The decision of rules about one call. The first rule that refuses decides. Must never happen: a call passes a rule that could not be evaluated.
import { compileCondition, ConditionFailed, type CallFacts, type Condition } from './expression.ts';
import type { CallRule } from './config.ts';

/** Whose rule it is. */
export interface OwnedRule extends Omit<CallRule, 'tools'> {
  /** mcp-servers/<name>@<version>, or agents/<name>. */
  of: string;
}

export interface RuleRefusal {
  of: string;
  name: string;
  because: string;
  /** Why the rule could not be evaluated. */
  fault?: string;
}

export type CallDecision = { refused: RuleRefusal } | { refused?: undefined };

export function decideCall(rules: readonly OwnedRule[], facts: CallFacts): CallDecision {
  for (const { of, name, because, allow, deny } of rules) {
    const refused = { of, name, because };
    try {
      if (holds(allow ?? deny ?? 'false', facts) !== (allow !== undefined)) return { refused };
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      return { refused: { ...refused, fault: error.message } };
    }
  }
  return {};
}

/** Those about this tool. */
export const rulesFor = (tool: string, { of, rules = [] }: { of: string; rules?: readonly CallRule[] | undefined }) =>
  rules
    .filter(({ tools }) => tools === undefined || tools.includes(tool))
    .map(({ tools: _, ...rule }): OwnedRule => ({ of, ...rule }));

const most_kept = 1000;
const compiled = new Map<string, Condition>();

function holds(text: string, facts: CallFacts): boolean {
  const known = compiled.get(text);
  if (known !== undefined) return known(facts);
  const made = compileCondition(text);
  // It was stored under looser rules.
  if ('fault' in made) throw new ConditionFailed(`it ${made.fault}`);
  if (compiled.size >= most_kept) compiled.clear();
  compiled.set(text, made.condition);
  return made.condition(facts);
}
