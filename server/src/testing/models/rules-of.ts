import { guardrailList, guardrailsOf } from '@gantry/contract/guardrails.ts';
import { makeRules } from '../../models/guardrails/make-rules.ts';
import type { JudgeRule, Rule, TextRule } from '../../models/guardrails/rule.ts';

/** The rules of one entry of `guardrails:`, with `agent-model` as the agent's own model. */
export const rulesOf = (name: string, options?: object): readonly Rule[] =>
  makeRules(guardrailsOf(guardrailList.parse([options === undefined ? name : { name, options }])), 'agent-model');

export const textRulesOf = (name: string, options?: object): TextRule[] =>
  rulesOf(name, options).filter((rule): rule is TextRule => rule.kind === 'text');

export const judgesOf = (name: string, options?: object): JudgeRule[] =>
  rulesOf(name, options).filter((rule): rule is JudgeRule => rule.kind === 'judge');
