import type { Guardrail } from '@gantry/contract/guardrails.ts';
import { requiredOf, type RequiredGuardrail } from '@gantry/contract/guardrails/required.ts';
import { LRUCache } from 'lru-cache';
import type { Rule } from './rule.ts';
import { contentFilter } from './rules/content-filter.ts';
import { hallucinationCheck } from './rules/hallucination-check.ts';
import { jsonSchema } from './rules/json-schema.ts';
import { maxLength } from './rules/max-length.ts';
import { piiDetection } from './rules/pii-detection.ts';
import { promptInjection } from './rules/prompt-injection.ts';
import { topics } from './rules/topics.ts';

const max_known = 1000;
const known = new LRUCache<string, readonly Rule[]>({ max: max_known });

/** `agent_model` judges where a guardrail names no model. Throws on a pattern that RE2 does not take and on a schema that is none. */
export function makeRules(guardrails: readonly Guardrail[], agent_model: string | undefined): readonly Rule[] {
  if (guardrails.length === 0) return [];
  const name = JSON.stringify([agent_model, guardrails]);
  const rules = known.get(name) ?? guardrails.flatMap((one) => rulesOf(one, agent_model));
  known.set(name, rules);
  return rules;
}

/**
 * The rules that the organisation requires of a team; `team` is null for a key of the organisation. Their judges are entries of the
 * catalogue: an alias of the team would let the team choose who judges it.
 */
export function requiredRules(required: readonly RequiredGuardrail[], team: string | null): readonly Rule[] {
  return makeRules(requiredOf(required, team).map(withEntry), undefined);
}

function withEntry(guardrail: Guardrail): Guardrail {
  const { options } = guardrail;
  if (options === undefined || !('model' in options) || typeof options.model !== 'string') return guardrail;
  const model = options.model.startsWith('models/') ? options.model : `models/${options.model}`;
  return { ...guardrail, options: { ...options, model } } as Guardrail; // the same options, with another text
}

function rulesOf(guardrail: Guardrail, agent_model: string | undefined): Rule[] {
  switch (guardrail.name) {
    case 'pii_detection':
      return piiDetection(guardrail.options ?? {});
    case 'content_filter':
      return contentFilter(guardrail.options ?? {}, agent_model);
    case 'prompt_injection':
      return promptInjection(guardrail.options ?? {});
    case 'hallucination_check':
      return [hallucinationCheck(guardrail.options ?? {}, agent_model)];
    case 'max_length':
      return maxLength(guardrail.options);
    case 'json_schema':
      return [jsonSchema(guardrail.options)];
    case 'topics':
      return topics(guardrail.options);
  }
}
