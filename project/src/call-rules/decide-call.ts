// The decision of rules about one call. The first rule that refuses decides. Must never happen: a call passes a rule that could not be evaluated, or goes
// out without a person because a condition could not be.
import { compileCondition, ConditionFailed, type CallFacts, type Condition } from './expression.ts';
import type { CallApproval, CallPolicy, CallRule } from './config.ts';

/** Whose rule it is. */
export interface OwnedRule extends Omit<CallRule, 'tools'> {
  /** mcp-servers/<name>@<version>, or agents/<name>. */
  of: string;
}

export interface OwnedApproval extends Omit<CallApproval, 'tools'> {
  of: string;
}

/** What is decided about one call. */
export interface CallPolicies {
  rules: OwnedRule[];
  approve: OwnedApproval[];
}

/** Of all entries that want a person, the strictest. */
export interface Wait {
  /** Who wants it. */
  of: string[];
  by_other: boolean;
  hours: number;
}

interface RuleRefusal {
  of: string;
  name: string;
  because: string;
  /** Why the rule could not be evaluated. */
  fault?: string;
}

export interface CallDecision {
  refused?: RuleRefusal;
  /** Never beside `refused`. */
  waits?: Wait;
}

export function decideCall({ rules, approve }: CallPolicies, facts: CallFacts): CallDecision {
  for (const { of, name, because, allow, deny } of rules) {
    const refused = { of, name, because };
    try {
      if (holds(allow ?? deny ?? 'false', facts) !== (allow !== undefined)) return { refused };
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      return { refused: { ...refused, fault: error.message } };
    }
  }
  const wanting = approve.filter(({ when }) => when === undefined || !isFalse(when, facts));
  const waits = strictest(
    wanting.map(({ of, by_other = false, hours = usual_hours }) => ({ of: [of], by_other, hours })),
  );
  return waits === undefined ? {} : { waits };
}

/** Undefined without any. */
export function strictest(given: readonly (Wait | undefined)[]): Wait | undefined {
  const waits = given.filter((wait) => wait !== undefined);
  if (waits.length === 0) return undefined;
  return {
    of: [...new Set(waits.flatMap(({ of }) => of))],
    by_other: waits.some(({ by_other }) => by_other),
    hours: Math.min(...waits.map(({ hours }) => hours)),
  };
}

const usual_hours = 24;

function isFalse(when: string, facts: CallFacts): boolean {
  try {
    return !holds(when, facts);
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

interface OwnedPolicy extends CallPolicy {
  of: string;
}

/** What these policies say about this tool. */
export function policiesFor(tool: string, policies: readonly OwnedPolicy[]): CallPolicies {
  const isAbout = ({ tools }: { tools?: string[] | undefined }) => tools === undefined || tools.includes(tool);
  return {
    rules: policies.flatMap(({ of, rules = [] }) =>
      rules.filter(isAbout).map(({ tools: _, ...rule }) => ({ of, ...rule })),
    ),
    approve: policies.flatMap(({ of, approve = [] }) =>
      approve.filter(isAbout).map(({ tools: _, ...one }) => ({ of, ...one })),
    ),
  };
}

/** Whether a condition can depend on what the run has read. */
export const readRun = ({ rules, approve }: CallPolicies): boolean =>
  [...rules.flatMap(({ allow, deny }) => [allow, deny]), ...approve.map(({ when }) => when)].some(
    (text) => text !== undefined && /\brun\b/.test(text),
  );

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
